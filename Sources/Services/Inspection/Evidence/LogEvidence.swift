package import CloudMessages
import CloudModel
package import EventLog
import ProtocolBuffers

/// Reads the entries of the topics of a container's environment, for those who judge the stages. It shares no code with
/// the stages and the readers of feeds, except a view of users' journals (`Journals`) where the process has one.
package struct LogEvidence: Sendable {
    /// The groups whose committed positions say how far the stages are.
    package struct Groups: Sendable {
        /// Stage 1, on `changes.*`.
        package var matching: GroupName
        /// Stage 2, on `deliveries`.
        package var delivery: GroupName

        package init(matching: GroupName, delivery: GroupName) {
            self.matching = matching
            self.delivery = delivery
        }
    }

    let log: any EventLog
    let layout: TopicLayout
    /// Users' journals.
    let journals: any Journals
    let groups: Groups
    /// Returns the positions that a group has committed.
    let committed: Committed
    /// The bytes that searches may read; nil without a bound.
    private(set) var budget: ReadingBudget?

    /// Asks a log for the positions that a group has committed; the port of stages has no such call.
    package typealias Committed =
        @Sendable (_ group: GroupName, _ partitions: [TopicPartition]) async throws -> [TopicPartition: LogPosition]

    /// - Parameter journals: a view of users' journals; nil for journals on the log itself.
    package init(
        log: any EventLog, layout: TopicLayout, journals: (any Journals)? = nil, groups: Groups,
        committed: @escaping Committed
    ) {
        self.log = log
        self.layout = layout
        self.journals = journals ?? LogJournals(log, layout: layout)
        self.groups = groups
        self.committed = committed
    }

    /// The same evidence for a search that ends by `ReadingBudget.Spent` when it has read so many bytes of entries.
    func bounded(bytes: Int) -> LogEvidence {
        var evidence = self
        evidence.budget = ReadingBudget(bytes: bytes)
        return evidence
    }

    /// The partitions of changes, in the order of their numbers here.
    var changes: [TopicPartition] {
        DatabaseScope.allCases.flatMap { database in
            (0..<layout.partitions).map { TopicPartition(layout.changes(database), $0) }
        }
    }

    /// The partitions of `deliveries`.
    var deliveries: [TopicPartition] { (0..<layout.partitions).map { TopicPartition(layout.deliveries, $0) } }

    /// Opens a partition; nil where there is no such topic.
    func reader(of partition: TopicPartition) async throws -> (any EntryReader)? {
        do { return try await log.reader(of: partition) } catch LogError.unknownTopic { return nil }
    }

    /// Opens partitions with one request for their bounds.
    /// - Throws: `LogError.unknownTopic`.
    func readers(
        of partitions: [TopicPartition]
    ) async throws -> [(partition: TopicPartition, entries: any EntryReader)] {
        let bounds = try await log.bounds(of: partitions)
        var readers: [(partition: TopicPartition, entries: any EntryReader)] = []
        for partition in partitions {
            guard let held = bounds[partition] else { continue }
            readers.append((partition, PartitionReader(log, partition, held)))
        }
        return readers
    }

    /// Opens the journal of a user; nil where there are no journals.
    func journal(of user: UserRecordName) async throws -> (any EntryReader)? {
        do { return try await journals.reader(of: user) } catch LogError.unknownTopic { return nil }
    }

    /// Hands the entries of a partition to `take`, from an offset up to another.
    func read(
        _ partition: TopicPartition, from start: Int64, to end: Int64, _ take: (LogEntry) throws -> Void
    ) async throws {
        try await log.read(partition, from: start, to: end) { try take($0) }
    }

    /// Reads all that a partition holds now; nothing where there is no such topic.
    /// - Returns: its bounds.
    func read(_ partition: TopicPartition, _ take: (LogEntry) throws -> Void) async throws -> OffsetBounds? {
        guard let bounds = try await reader(of: partition)?.bounds else { return nil }
        try await read(partition, from: bounds.start, to: bounds.end, take)
        return bounds
    }

    /// The state that stage 2 has of a user.
    struct DeliveredUser {
        /// The devices that it writes for.
        var devices: [DeviceState] = []
        /// The creations of the subscriptions with an open backfill: their other hits are held meanwhile.
        var held: Set<CommitSequence> = []
        /// Those among them that wait for marks.
        var unfinished: Set<CommitSequence> = []
        /// The notifications that policies hold before the feed, and before the pushes to devices.
        var holds: [HoldMessage] = []
        /// True for a user who was removed: nothing is kept for one, and nothing more is delivered.
        var isRemoved = false
    }

    /// One user that stage 2 writes for; nil if it writes nothing for this one.
    func user(_ name: UserRecordName) async throws -> DeliveredUser? {
        try await users(in: [layout.partition(of: layout.userKey(name))]) { $0 == name }[name]
    }

    /// The users that stage 2 writes for.
    func users(_ includes: (UserRecordName) -> Bool) async throws -> [UserRecordName: DeliveredUser] {
        try await users(in: Array(0..<layout.partitions), includes)
    }

    private func users(
        in partitions: [Int32], _ includes: (UserRecordName) -> Bool
    ) async throws -> [UserRecordName: DeliveredUser] {
        var users: [UserRecordName: DeliveredUser] = [:]
        for partition in partitions {
            _ = try await read(TopicPartition(layout.deliveryState, partition)) { entry in
                guard let key = entry.key, key.first != UInt8(ascii: "#") else { return }
                let user = UserRecordName(key: key)
                guard includes(user) else { return }
                let state = try entry.value.map { try UserState(decoding: $0) }
                users[user] = state.map { state in
                    DeliveredUser(
                        devices: state.devices, held: Set(state.backfills.map { CommitSequence($0.created) }),
                        unfinished: Set(
                            state.backfills.filter { $0.release == nil && !$0.isDelivered }
                                .map { CommitSequence($0.created) }),
                        holds: state.holds, isRemoved: state.removed != nil)
                }
            }
        }
        return users
    }

    /// All versions of the subscriptions of some users.
    func subscriptions(_ includes: (UserRecordName) -> Bool) async throws -> SubscriptionHistory {
        try await subscriptions(includes, bytesMax: .max) ?? SubscriptionHistory()
    }

    /// All versions of the subscriptions of some users; nil when those of several users have more bytes than `bytesMax`.
    func subscriptions(
        _ includes: (UserRecordName) -> Bool, bytesMax: Int
    ) async throws -> SubscriptionHistory? {
        var history = SubscriptionHistory()
        var bytes = 0
        var owner: String?
        var isDivisible = false
        _ = try await read(TopicPartition(layout.subscriptions)) { entry in
            if bytes > bytesMax, isDivisible { return }
            // What begins so is the relay's own.
            guard let key = entry.key, key.first != UInt8(ascii: "#") else { return }
            // A version that cannot be read is nobody's here; stage 1 sets it aside as well.
            let event = (try? entry.value.map { try SubscriptionEvent(decoding: $0) }) ?? nil
            if let event {
                guard includes(UserRecordName(trusted: event.user)) else { return }
                bytes += event.condition?.encoded().count ?? 0
                isDivisible = isDivisible || owner.map { $0 != event.user } ?? false
                owner = event.user
            }
            history.take(key, event, at: entry.offset)
        }
        if bytes > bytesMax, isDivisible { return nil }
        history.seal()
        return history
    }

    /// Everything in the journal of a user.
    /// - Returns: the first offset that the journal's partition keeps, and the entries; nil where there are no journals.
    func delivered(of user: UserRecordName) async throws -> (start: Int64, entries: [DeliveredEntry])? {
        guard let journal = try await journal(of: user) else { return nil }
        var entries: [DeliveredEntry] = []
        try await scan(journal, from: journal.bounds.start, to: journal.bounds.end) { entry in
            // An entry without a value removes those before it.
            if entry.value == nil { entries = [] } else { entries.append(DeliveredEntry(entry, layout)) }
            return false
        }
        return (journal.bounds.start, entries)
    }
}

extension BackfillState {
    /// Returns true if stage 2 has met the marks of all partitions, or the subscription's deletion.
    fileprivate var isDelivered: Bool { shares.count(where: \.isDone) >= Int(partitions) }
}

extension LogEvidence.DeliveredUser {
    /// Returns true if a policy holds the notification of a change before the feed.
    func isHeld(_ subject: DeliveredEntry.Subject) -> Bool {
        holds.contains { $0.device.isEmpty && $0.stands(for: subject) }
    }
}

extension HoldMessage {
    /// Returns true if it holds a notification of a change for a subscription.
    func stands(for subject: DeliveredEntry.Subject) -> Bool {
        database == subject.database && subscription == subject.subscription
            && held.contains { $0.changes.contains(subject.change.rawValue) }
    }
}
