package import CloudMessages
import CloudModel
package import EventLog
import ProtocolBuffers

/// Moves the journals of a container's environment into the topic that users share (layout `sharded`), while no stage
/// works on it.
///
/// Entries keep their names, so that change tokens stay valid, and badges move from the feeds into the journal. Entries
/// of an interrupted migration are written again under the same names; readers drop them.
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

    private let log: any EventLog
    /// The layout that is left, and the one that is moved to.
    private let (old, new): (TopicLayout, TopicLayout)

    /// - Parameter layout: the container's environment's, in whichever layout.
    package init(log: any EventLog, layout: TopicLayout) {
        self.log = log
        old = layout.with(.topicPerDevice)
        new = layout.with(.sharded)
    }

    /// Creates the shared topic and moves all journals. Taking the state over fences other processes that deliver.
    /// - Parameter progressed: called with the count so far.
    package func move(_ progressed: (Moved) -> Void = { _ in }) async throws -> Moved {
        try await log.requireTopics([new.journalsSpecification])
        let devices = try await devices()
        var moved = Moved()
        let writer = try await log.makeWriter()
        do {
            for topic in try await log.topics(withPrefix: old.journalPrefix) {
                guard let user = old.journalUser(topic) else { continue }
                moved.entries += try await move(topic, of: user, devices[user] ?? [], by: writer)
                moved.journals += 1
                progressed(moved)
            }
        } catch {
            await writer.close()
            throw error
        }
        await writer.close()
        return moved
    }

    /// Deletes the journals and feeds of the layout that was left.
    /// - Returns: how many there were, and those that could not be deleted.
    package func deleteOld() async throws -> (count: Int, failures: [TopicName: LogError]) {
        let names = try await log.topics(withPrefix: old.journalPrefix) + log.topics(withPrefix: old.feedPrefix)
        var failures: [TopicName: LogError] = [:]
        for start in stride(from: 0, to: names.count, by: Self.topicsMax) {
            let part = Array(names[start..<min(start + Self.topicsMax, names.count)])
            failures.merge(try await log.deleteTopics(part)) { $1 }
        }
        return (names.count, failures)
    }

    /// The devices of all users, as stage 2 knows them; fences the owner of each partition's state.
    private func devices() async throws -> [UserRecordName: [DeviceState]] {
        var devices: [UserRecordName: [DeviceState]] = [:]
        for number in 0..<old.partitions {
            let session = try await log.takeOver(
                StateClaim(
                    input: TopicPartition(old.deliveries, number), group: NotificationDelivery.group(old),
                    state: TopicPartition(old.deliveryState, number)))
            for (key, value) in session.initialState where key != PartitionDelivery.positionsKey {
                guard let state = try? UserState(decoding: value) else { continue }
                devices[UserRecordName(trusted: String(decoding: key, as: UTF8.self))] = state.devices
            }
            await session.close()
        }
        return devices
    }

    private func move(
        _ journal: TopicName, of user: UserRecordName, _ devices: [DeviceState], by writer: any LogWriter
    ) async throws -> Int {
        let badges = try await badges(of: devices)
        let (place, key) = (new.journals(of: user), new.userKey(user))
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
            let feed = old.feed(DeviceID(trusted: device.device), DeviceEpoch(device.epoch))
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
