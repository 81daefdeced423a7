import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import Stages
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// Publishes changes and subscriptions as the relay does, and reads what stage 1 makes of their backfills.
struct PastRelay {
    static let layout = SubscriptionHistory.layout
    static let user = SubscriptionHistory.users[0]

    let log: MemoryLog
    private(set) var changes: [Change] = []
    private(set) var lastSubscription: Int64 = 0
    private var layout: TopicLayout { Self.layout }

    init() async throws {
        log = MemoryLog()
        try await log.requireTopics(layout.fixedTopics)
    }

    /// The creation of a subscription to `n > above`.
    static func saved(
        _ id: String, at sequence: Int64, from: Int64, above: Int64 = 3, of user: UserRecordName = user,
        in database: DatabaseScope = .public, text: String? = nil
    ) -> SubscriptionHistory.Event {
        let key = SubscriptionKey(user: user, database: database, id: SubscriptionID(trusted: id))
        var subscription = SubscriptionHistory.subscription(key, above: above)
        subscription.notificationInfo = NotificationInfo(alertBody: text)
        subscription.backfill = Backfill(from: Timestamp(milliseconds: from))
        return SubscriptionHistory.Event(
            key: key, sequence: sequence,
            saved: SavedSubscription(
                subscription: subscription, created: CommitSequence(sequence), saved: CommitSequence(sequence)))
    }

    mutating func change(_ sequence: Int64, number: Int64) async throws {
        let change = SubscriptionHistory.change(sequence, number: number, after: lastSubscription)
        changes.append(change)
        try await publish(change)
    }

    /// A change of the user's private database.
    mutating func privateChange(_ sequence: Int64, number: Int64) async throws {
        var record = SubscriptionHistory.change(sequence, number: number, after: 0).matched!
        record.zone = ZoneID(name: .defaultZone, owner: Self.user)
        let change = Change(
            sequence: CommitSequence(sequence), lastSubscription: CommitSequence(lastSubscription), database: .private,
            kind: .created, before: nil, after: record, committed: Timestamp(milliseconds: sequence),
            origin: Origin(user: Self.user, device: nil, epoch: nil))
        changes.append(change)
        try await publish(change)
    }

    /// Once more, as after a crash.
    func publish(_ change: Change) async throws {
        let key = layout.changeKey(change.database, change.matched!)
        try await append(
            TopicPartition(layout.changes(change.database), layout.partition(of: key)), key,
            ChangeEvent(change, store: SubscriptionHistory.store).encoded())
    }

    /// A subscription, with the boundaries behind it.
    mutating func publish(_ event: SubscriptionHistory.Event, at time: Int64 = 1) async throws {
        try await publish([event], at: time)
    }

    /// The subscriptions of one commit, with the boundaries behind them.
    mutating func publish(_ events: [SubscriptionHistory.Event], at time: Int64 = 1) async throws {
        for event in events {
            lastSubscription = event.sequence
            try await append(TopicPartition(layout.subscriptions), event.topicKey, event.message.encoded())
        }
        guard let last = events.last, last.saved != nil else { return }
        for (number, key) in layout.boundaryKeys.enumerated() {
            #expect(layout.partition(of: key) == Int32(number))
            let boundary = ChangeEvent.boundary(
                in: last.key.database, at: CommitSequence(last.sequence + 1 + Int64(number)),
                Timestamp(milliseconds: 0), store: SubscriptionHistory.store)
            try await append(
                TopicPartition(layout.changes(last.key.database), Int32(number)), key, boundary.encoded(), at: time)
        }
    }

    private func append(
        _ partition: TopicPartition, _ key: [UInt8], _ value: [UInt8], at time: Int64 = 1
    ) async throws {
        let entry = OutgoingEntry(partition, key: key, value: value, timestamp: LogTimestamp(milliseconds: time))
        try await log.withWriter { try await $0.append([entry]) }
    }

    /// The entries of a user's partition of `deliveries` that are the user's.
    func deliveries(of user: UserRecordName = user) async throws -> [DeliveryEntry] {
        try await log.follow(layout.deliveries(of: user), from: 0).entriesToEnd().map {
            try DeliveryEntry(reading: $0.value!)
        }.filter { $0.user == user.rawValue }
    }

    /// The creations that a mark names.
    static func marks(_ entry: DeliveryEntry) -> [Int64] {
        switch entry.event {
        case .backfillShareDone(let mark)?: [mark.created]
        case .backfillSharesDone(let marks)?: marks.created
        default: []
        }
    }

    func untilMarked(_ created: Int64, of user: UserRecordName = user) async throws {
        try await eventually("all marks of \(created)") {
            let marks = try await deliveries(of: user).filter { Self.marks($0).contains(created) }
            return Set(marks.compactMap(\.source?.partition)).count == Int(layout.partitions)
        }
    }

    /// The delivered changes of a subscription's backfill, as a reader has them that drops repeats. An entry behind a
    /// partition's mark is a repeat, too.
    func past(of created: Int64, for user: UserRecordName = user) async throws -> [Int64] {
        var changes: [Int64] = []
        var seen: [Int32: Int64] = [:]
        for entry in try await deliveries(of: user) where entry.isOfPast {
            let source = entry.source!
            if Self.marks(entry).contains(created) { seen[source.partition] = .max }
            guard case .hits(let hits)? = entry.event, source.offset > seen[source.partition] ?? 0 else { continue }
            if hits.isRest, hits.leftOut.contains(created) { seen[source.partition] = source.offset }
            guard hits.hits.contains(where: { $0.created == created }) else { continue }
            #expect(source.offset == hits.change && hits.backfill != 0)
            seen[source.partition] = source.offset
            changes.append(hits.change)
        }
        return changes.sorted()
    }

    /// Writes the positions of a stage 1 that had used part of the user's budget.
    func use(_ bytes: Int) async throws {
        try await commit { $0.use(bytes, in: PastLane.id(of: Self.user, store: SubscriptionHistory.store)) }
    }

    /// Writes the positions of a stage 1 that read no change yet.
    func commit(_ change: (inout PastProgress) -> Void) async throws {
        let partitions = (0..<layout.partitions).map { TopicPartition(layout.changes(.public), $0) }
        let incarnation = try await log.incarnation(of: layout.changes(.public))
        let membership = try await log.join(
            SubscriptionMatcher.group(layout), topics: DatabaseScope.allCases.map(layout.changes))
        var owned: Set<TopicPartition> = []
        while !owned.isSuperset(of: partitions) {
            if case .assigned(let more) = try await membership.next() { owned.formUnion(more) }
        }
        var positions: [TopicPartition: LogPosition] = [:]
        for partition in partitions {
            let progress = PartitionPosition(
                LogPosition(offset: 0, incarnation: incarnation), of: partition, PositionCommitter())
            progress.notePast(change)
            positions[partition] = progress.position
        }
        try await membership.commit(positions)
        await membership.leave()
    }
}
