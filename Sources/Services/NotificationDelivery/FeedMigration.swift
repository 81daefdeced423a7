package import CloudMessages
import CloudModel
package import EventLog
import ProtocolBuffers
import Stages
import Timing
import Waiting

/// Moves the journals of a container's environment from the topics of earlier versions, one for each user and one for
/// each device, into the topic that users share, while no stage works on it.
///
/// Entries keep their names, so that change tokens stay valid, and badges move from the feeds into the journal. A
/// migration that was cut off begins again.
package struct FeedMigration: Sendable {
    /// The count of moved entries.
    package struct Moved: Sendable {
        /// Journals.
        package var journals = 0
        /// Their entries.
        package var entries = 0
    }

    /// Bytes of entries that are written together.
    private static let batchBytesMax = 1 << 20
    /// Topics that are deleted in one request.
    private static let topicsMax = 500
    /// Looks for a topic that was deleted, and the pause between them.
    private static let deletionAttempts = 300
    private static let deletionPause = Duration.milliseconds(100)

    private let log: any EventLog
    private let layout: TopicLayout

    /// - Parameter log: without views of journals before it: the former ones have the names of such views.
    package init(log: any EventLog, layout: TopicLayout) {
        self.log = log
        self.layout = layout
    }

    /// Moves all journals into the shared topic, which is made again, and notes that they are there. No stage may begin
    /// meanwhile (`StoreRepair.begin`). All partitions stay taken over until the end, so that a stage that was at work
    /// delivers nothing any more.
    /// - Parameters:
    ///   - progressed: called with the count so far.
    ///   - note: notes that the feeds are moved.
    /// - Throws: `LogError.fenced` if a stage has delivered meanwhile: nothing is noted, and it has to be run again.
    package func move(
        _ progressed: (Moved) -> Void = { _ in }, thenNoting note: () async throws -> Void
    ) async throws -> Moved {
        try await makeJournals()
        var sessions: [any LogStateSession] = []
        return try await Task.closing({ for session in sessions { await session.close() } }) {
            var users: [UserRecordName: UserState] = [:]
            for number in 0..<layout.partitions {
                let session = try await log.takeOver(NotificationDelivery.claim(number, layout))
                sessions.append(session)
                Self.add(session.initialState, to: &users)
            }
            let moved = try await moveAll(users, progressed)
            KillPoint.reach(.feedsMoved)
            try await confirm(sessions)
            try await note()
            return moved
        }
    }

    private func moveAll(
        _ users: [UserRecordName: UserState], _ progressed: (Moved) -> Void
    ) async throws -> Moved {
        try await log.withWriter { writer in
            var moved = Moved()
            for topic in try await log.topics(withPrefix: layout.journalPrefix) {
                // The journal of a removed user is deleted with the others.
                guard let user = layout.journalUser(topic), users[user]?.removed == nil else { continue }
                moved.entries += try await move(topic, of: user, users[user]?.devices ?? [], by: writer)
                moved.journals += 1
                progressed(moved)
            }
            return moved
        }
    }

    /// Returns if no stage has taken a partition over.
    /// - Parameter sessions: those of all partitions, by number.
    private func confirm(_ sessions: [any LogStateSession]) async throws {
        for (number, session) in sessions.enumerated() {
            let input = TopicPartition(layout.deliveries, Int32(number))
            var offset = session.initialOffset
            if offset == nil {
                // Stage 2 refuses this, too, and the start would repeat or leave out notifications.
                guard session.initialState.isEmpty else {
                    throw StageRefusal(
                        "\(input) has a state of delivery and no offset: 'fanfare repair --rebuild delivery' of the version that made it mends it"
                    )
                }
                offset = try await log.bounds(of: [input])[input]?.start
            }
            try await session.commit([:], offset: offset ?? 0, at: LogTimestamp(milliseconds: 0))
        }
    }

    /// Deletes the former journals and feeds; feeds not where stage 3 makes such topics, in their place.
    /// - Returns: how many there were, and those that could not be deleted.
    package func deleteOld() async throws -> (count: Int, failures: [TopicName: LogError]) {
        let feeds = layout.hasFeedTopics ? [] : try await log.topics(withPrefix: layout.feedPrefix)
        let names = try await log.topics(withPrefix: layout.journalPrefix) + feeds
        var failures: [TopicName: LogError] = [:]
        for start in stride(from: 0, to: names.count, by: Self.topicsMax) {
            let part = Array(names[start..<min(start + Self.topicsMax, names.count)])
            failures.merge(try await log.deleteTopics(part)) { $1 }
        }
        return (names.count, failures)
    }

    /// Makes the shared topic. One with entries is of a migration that was cut off, and nobody knows by now which entries
    /// it lacks: it is deleted first.
    private func makeJournals() async throws {
        let specification = layout.journalsSpecification
        try await log.requireTopics([specification])
        let partitions = (0..<layout.partitions).map { TopicPartition(layout.journals, $0) }
        guard try await log.bounds(of: partitions).values.contains(where: { $0.end > 0 }) else { return }
        if let error = try await log.deleteTopics([layout.journals])[layout.journals] { throw error }
        // Brokers delete a topic some time after the request.
        var attempts = 0
        while try await !log.describeTopics([layout.journals]).isEmpty {
            attempts += 1
            guard attempts < Self.deletionAttempts else {
                throw LogError.broken("the topic '\(layout.journals)' is there still after it was deleted")
            }
            try await Time.sleep(for: Self.deletionPause)
        }
        try await log.requireTopics([specification])
    }

    /// Adds the users, as stage 2 knows them.
    private static func add(_ state: [[UInt8]: [UInt8]], to users: inout [UserRecordName: UserState]) {
        for (key, value) in state where key != PartitionDelivery.positionsKey {
            guard let user = try? UserState(decoding: value) else { continue }
            users[UserRecordName(key: key)] = user
        }
    }

    private func move(
        _ journal: TopicName, of user: UserRecordName, _ devices: [DeviceState], by writer: any LogWriter
    ) async throws -> Int {
        let badges = try await badges(of: devices)
        let (place, key) = (layout.journals(of: user), layout.userKey(user))
        var batch: [OutgoingEntry] = []
        var (bytes, count) = (0, 0)
        try await read(TopicPartition(journal)) { entry in
            guard let value = entry.value else { return }
            batch.append(
                OutgoingEntry(
                    place, key: key, value: try Self.adding(badges, to: value), headers: entry.headers,
                    timestamp: entry.timestamp))
            bytes += value.count
            count += 1
            guard bytes >= Self.batchBytesMax else { return }
            try await writer.append(batch)
            (batch, bytes) = ([], 0)
        }
        if !batch.isEmpty { try await writer.append(batch) }
        return count
    }

    /// The badges that notifications have in the feeds of devices, by the notifications' names.
    private func badges(of devices: [DeviceState]) async throws -> [SourcePosition: [DeviceBadge]] {
        var badges: [SourcePosition: [DeviceBadge]] = [:]
        for device in devices {
            let feed = layout.feed(DeviceID(trusted: device.device), DeviceEpoch(device.epoch))
            try await read(TopicPartition(feed)) { entry in
                guard let read = try entry.value.map({ try FeedEntry(decoding: $0) }),
                    case .query(let query)? = read.entry, let badge = query.badge, let name = read.source?.position
                else { return }
                badges[name, default: []].append(
                    DeviceBadge(device: device.device, epoch: device.epoch, badge: badge))
            }
        }
        return badges
    }

    private static func adding(_ badges: [SourcePosition: [DeviceBadge]], to value: [UInt8]) throws -> [UInt8] {
        guard !badges.isEmpty else { return value }
        var entry = try FeedEntry(decoding: value)
        guard case .query(var query)? = entry.entry, let name = entry.source?.position, let found = badges[name] else {
            return value
        }
        // A repeat in a feed is no second badge.
        var devices: Set<String> = []
        query.badges = found.filter { devices.insert($0.device).inserted }
        entry.entry = .query(query)
        return entry.encoded()
    }

    /// Reads a topic; one that is not there has nothing.
    private func read(_ partition: TopicPartition, _ body: (LogEntry) async throws -> Void) async throws {
        do {
            try await log.readToEnd(of: partition, body)
        } catch LogError.unknownTopic {
            return
        }
    }
}
