import CloudMessages
import CloudModel
import EventLog
import Matching
import ProtocolBuffers
import Stages
import Telemetry

/// Delivers one partition's share of the backfills of subscriptions, one after the other in the order of their
/// creation: hits of changes before the subscription, then a mark at the end.
struct BackfillWorker {
    static let examined = Counter(
        "fanfare_subscription_matcher_past_changes_total",
        "Changes that were matched once more for a subscription's past.")
    static let shares = Counter(
        "fanfare_subscription_matcher_past_shares_total",
        "Partitions' shares of subscriptions' backfills that were delivered.")

    let run: MatchRun
    let partition: TopicPartition
    /// The database whose changes the partition has.
    let database: DatabaseScope
    /// The partition as the source of hits of the past. Their names are changes' sequences.
    let source: SourceID
    let watch: PoisonWatch?
    let progress: PartitionPosition

    /// Describes the work beside that on a partition's new changes.
    init(_ run: MatchRun, _ partition: TopicPartition, incarnation: UInt64, _ progress: PartitionPosition) {
        self.run = run
        self.partition = partition
        self.progress = progress
        database = DatabaseScope.allCases.first { run.layout.changes($0) == partition.topic } ?? .public
        source = SourceID(
            origin: DeliveryEntry.pastOrigin(database), incarnation: incarnation, partition: partition.partition)
        watch = run.poison?.watch(.backfill, partition, incarnation: incarnation)
    }

    /// Works until the task is cancelled or something fails.
    func work() async throws {
        while true {
            let version = try await run.subscriptions.nextBackfill(in: database, after: progress.done)
            guard let saved = version.saved else { continue }
            if isConcerned(saved.subscription) { try await matchPast(saved, store: version.store) }
            try await run.writer.append([outgoing(markDone(saved), for: saved)])
            KillPoint.reach(.pastDone)
            Self.shares.increment()
            progress.noteDone(saved.created, store: version.store)
        }
    }

    /// A user's private database is one partition; the others have no share.
    private func isConcerned(_ subscription: Subscription) -> Bool {
        database != .private
            || run.layout.partition(of: run.layout.userKey(subscription.key.user)) == partition.partition
    }

    /// Reads the partition up to the first entry that was committed after the subscription, which comes: at the latest
    /// that is the boundary that was committed with it.
    private func matchPast(_ saved: SavedSubscription, store: UInt64) async throws {
        var offset = progress.offset(of: saved.created) ?? 0
        let start = try await PastSearch(log: run.log, partition: partition).offset(of: saved.subscription.backfill)
        offset = max(offset, start)
        let follower = try await run.log.follow(partition, from: offset)
        defer { follower.close() }
        let slice = PastSlice(saved: saved, store: store, source: source, watch: watch)
        while true {
            let batch = try await follower.next()
            guard await run.subscriptions.isAlive(saved.subscription.key, created: saved.created) else { return }
            for first in stride(from: 0, to: batch.entries.count, by: PastSlice.entriesMax) {
                let entries = batch.entries[first..<min(first + PastSlice.entriesMax, batch.entries.count)]
                let found = await run.subscriptions.onThread { slice.hits(in: entries) }
                Self.examined.increment(by: found.examined)
                if !found.values.isEmpty {
                    try await run.writer.append(found.values.map { outgoing($0, for: saved) })
                    KillPoint.reach(.pastDelivered)
                }
                if found.isOver { return }
                try Task.checkCancellation()
            }
            progress.note(batch.nextOffset, of: saved.created)
        }
    }

    private func markDone(_ saved: SavedSubscription) -> [UInt8] {
        let name = SourcePosition(source: source, offset: saved.created.rawValue)
        return DeliveryEntry(
            source: SourcePositionMessage(name), user: saved.subscription.key.user.rawValue,
            time: saved.subscription.backfill?.from.milliseconds ?? 0,
            event: .backfillShareDone(BackfillShareDone(created: saved.created.rawValue))
        ).encoded()
    }

    private func outgoing(_ value: [UInt8], for saved: SavedSubscription) -> OutgoingEntry {
        let layout = run.layout
        let user = saved.subscription.key.user
        return OutgoingEntry(
            layout.deliveries(of: user), key: layout.userKey(user), value: value,
            headers: OperatorHeaders.make(type: "past", source: "\(source)", id: "\(saved.created)"),
            timestamp: LogTimestamp(milliseconds: saved.subscription.backfill?.from.milliseconds ?? 0))
    }
}
