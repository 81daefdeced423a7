import CloudMessages
import CloudModel
import EventLog
import Matching
import Poison
import ProtocolBuffers
import Stages
import Synchronization
import Telemetry
import Timing
import Waiting

/// Keeps the table of subscriptions up to date from the topic, lets changes wait for the events before them, and
/// matches.
///
/// Partitions match at the same time, on threads of their own; events are applied between their changes, a few at a
/// time, and wait for no more than the changes that are being matched.
final class SubscriptionFollower: Sendable {
    static let versions = Gauge(
        "fanfare_subscription_matcher_subscription_versions", "Versions of subscriptions in the matcher's table.")
    static let malformed = Counter(
        "fanfare_subscription_matcher_malformed_subscriptions_total",
        "Subscription events that could not be read and were set aside.")

    /// The progress of the table; known without the lock of the table, which a change may hold for long.
    struct Progress {
        var reached = CommitSequence.zero
        var readTo: Int64 = 0
        /// The last entries before it.
        var marks = TableMarks()
        /// Entries that were applied since a snapshot was taken or read.
        var appliedSince = 0
        /// The last creation of a subscription with a backfill, in each database, of each store.
        var lastBackfills: [DatabaseScope: [UInt64: CommitSequence]] = [:]
        /// True once the reader has met the entry that `catchUp` wrote.
        var hasMetOwn = false
        /// The last tombstone that was written for a snapshot and read.
        var tombstone: EntryMark?
        /// The tombstone of the snapshot that was read, until everything behind the snapshot is read, too.
        var unconfirmed: EntryMark?
    }

    /// The room of one thread to match in.
    private final class Space: Sendable {
        let space = Mutex(MatchingSpace())
    }

    /// Events that are applied before matching goes on.
    private static let eventsMax = 64
    /// Hits after which the changes matched so far are handed out.
    private static let hitsMax = 10_000

    let table = SharedMutex(SubscriptionTable())
    let progress = Mutex(Progress())
    let threads: WorkerThreads
    /// Events have a thread of their own, so that they wait for the lock alone.
    let applying = WorkerThreads(count: 1)
    /// Backfills have a thread of their own, which gives way to the others: new changes do not wait for them.
    let background = WorkerThreads(count: 1, niceness: 10)
    let versionsShare = GaugeShare(of: SubscriptionFollower.versions)
    private let spaces: [Space]
    let bell = Bell<Int>()
    let log: any EventLog
    let layout: TopicLayout
    let partition: TopicPartition
    let snapshots: TableSnapshots?
    let poison: PoisonWatch?

    /// The number by which the follower knows its own entry.
    let own = Array(String(UInt64.random(in: 1 ... .max), radix: 16).utf8)

    /// - Parameters:
    ///   - poison: the entries of the topic that are passed by.
    ///   - snapshots: where the table is kept for the next start; nil keeps none.
    init(
        log: any EventLog, layout: TopicLayout, poison: PoisonWatch? = nil, snapshots: TableSnapshots? = nil
    ) {
        self.log = log
        self.layout = layout
        partition = TopicPartition(layout.subscriptions)
        self.poison = poison
        self.snapshots = snapshots
        threads = WorkerThreads(count: max(2, Processors.count))
        spaces = (0..<threads.count).map { _ in Space() }
    }

    /// Follows the topic without end, from a snapshot or from its start on. The table survives failures of the log.
    /// - Throws: errors that make it worthless: the topic or the log is another one, or missed entries may be gone.
    func run() async throws {
        let identity = try await TableIdentity.current(of: layout.subscriptions, on: log)
        if try await !load(identity) {
            let start = try await log.bounds(of: [partition])[partition]?.start ?? 0
            progress.withLock { $0.readTo = start }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.followPersistently(identity) }
            if let snapshots { group.addTask { await self.takeSnapshots(identity, into: snapshots) } }
            try await group.next()
        }
    }

    /// Follows the topic from where the table is, again after each failure that leaves the table good.
    private func followPersistently(_ identity: TableIdentity) async throws {
        let failure = Mutex<(any Error)?>(nil)
        let lastRead = Mutex(Time.now)
        await persistently(failed: { error, pause in
            Log.warning(
                "subscriptions.failed", ["scope": "\(self.layout.scope)", "error": "\(error)", "pause": "\(pause)"])
        }) {
            do {
                guard try await TableIdentity.current(of: self.layout.subscriptions, on: self.log) == identity else {
                    throw SnapshotFailure("the log or the topic of subscriptions was replaced")
                }
                guard lastRead.withLock({ $0.duration(to: Time.now) }) < .milliseconds(TableSnapshots.ageMax) else {
                    throw SnapshotFailure("the topic of subscriptions could not be read for too long")
                }
                try await self.follow { lastRead.withLock { $0 = Time.now } }
            } catch  where Self.concernsTable(error) {
                failure.withLock { $0 = error }
            }
        }
        try Task.checkCancellation()
        throw failure.withLock { $0 } ?? CancellationError()
    }

    /// Returns true if a failure makes the table worthless.
    private static func concernsTable(_ error: any Error) -> Bool {
        switch error {
        case is SnapshotFailure: true
        case LogError.unknownTopic, LogError.offsetOutOfRange: true
        default: false
        }
    }

    private func follow(_ read: @Sendable () -> Void) async throws {
        let follower = try await log.follow(partition, from: progress.withLock { $0.readTo })
        defer { follower.close() }
        while true {
            let batch = try await follower.next()
            read()
            for first in stride(from: 0, to: batch.entries.count, by: Self.eventsMax) {
                await apply(batch.entries[first..<min(first + Self.eventsMax, batch.entries.count)])
            }
            let meetsOwn = batch.entries.contains { $0.key == TopicLayout.readerKey && $0.value == own }
            if meetsOwn { try await confirm() }
            let tombstone = batch.entries.last { $0.key == TopicLayout.guardKey(own) }.map(TableMarks.mark)
            progress.withLock {
                $0.readTo = batch.nextOffset
                $0.marks.note(batch.entries)
                $0.hasMetOwn = $0.hasMetOwn || meetsOwn
                $0.tombstone = tombstone ?? $0.tombstone
            }
            if meetsOwn || tombstone != nil { bell.ring(0) }
        }
    }

    /// Waits until the table has everything that was in the topic at the call: writes an entry of its own and reads up
    /// to it. A reported end may be stale.
    func catchUp(with writer: any LogWriter) async throws {
        try await writer.append([
            OutgoingEntry(
                partition, key: TopicLayout.readerKey, value: own,
                timestamp: LogTimestamp(milliseconds: WallClock.milliseconds))
        ])
        try await wait { $0.hasMetOwn }
    }

    /// Returns true if the table has reached the last subscription event before a change.
    func isReady(for change: Change) -> Bool { progress.withLock { $0.reached >= change.lastSubscription } }

    /// Waits until the table has reached the last subscription event before a change. That very event may have been
    /// removed: then an entry before its tombstone says that it had come.
    func wait(for change: Change) async throws {
        if isReady(for: change) { return }
        if Mistake.waitForReportedEnd.isMade {
            let end = try await log.bounds(of: [partition])[partition]?.end ?? 0
            return try await wait { $0.readTo >= end }
        }
        try await wait { $0.reached >= change.lastSubscription }
    }

    /// The subscriptions that fire on each of some changes: on the first ones, or all, and on one at least. Accounts take
    /// turns at the threads (`MatchTurn`), whatever the number of partitions in which their changes wait.
    ///
    /// A change at which a process has died is matched by the plain walk, with a mark at each subscription: a change
    /// that kills the index need not kill the walk, which finds the same; if both die, the subscription is known by
    /// name.
    /// - Parameters:
    ///   - changes: with their offsets.
    ///   - watch: knows the changes that are set aside; no subscription fires on them.
    func hits(of changes: [(change: Change, offset: Int64)], _ watch: PoisonWatch?) async -> [[FiredSubscription]] {
        let turn = MatchTurn(changes.lazy.map(\.change))
        return await threads.run(for: turn.account, cost: turn.cost) { [self] thread in
            spaces[thread].space.withLock { space in
                var hits: [[FiredSubscription]] = []
                var count = 0
                for (change, offset) in changes.prefix(turn.count) where count <= Self.hitsMax {
                    let found = watch.meet(offset) { deaths in
                        table.withSharedLock { table in
                            deaths == 0
                                ? table.hits(of: change, in: &space, poison) : table.hitsByWalk(of: change, poison)
                        }
                    }
                    count += found?.count ?? 0
                    hits.append(found ?? [])
                    if space.isToBeNoted { table.withLock { $0.note(&space) } }
                }
                return hits
            }
        }
    }

    /// Applies events on a thread that may wait for the table.
    private func apply(_ entries: ArraySlice<LogEntry>) async {
        let (reached, lastBackfills) = await applying.run { [table, poison, versionsShare] _ in
            table.withLock { table in
                for entry in entries { Self.apply(entry, to: &table, poison) }
                versionsShare.set(table.versionCount)
                return (table.reached, table.lastBackfills)
            }
        }
        progress.withLock {
            $0.reached = reached
            $0.appliedSince += entries.count
            $0.lastBackfills = lastBackfills
        }
        bell.ring(0)
    }

    func wait(until condition: @Sendable (Progress) -> Bool) async throws {
        try await bell.wait(for: 0) { progress.withLock { condition($0) } }
    }

    private static func apply(_ entry: LogEntry, to table: inout SubscriptionTable, _ poison: PoisonWatch?) {
        guard let key = entry.key else { return }
        if key == TopicLayout.reachedKey {
            guard let message = try? ReachedMessage(decoding: entry.value ?? []) else { return }
            return table.noteReached(CommitSequence(message.sequence))
        }
        if key == TopicLayout.readerKey { return }
        // In any case: no change may wait forever for an event that is set aside.
        if let sequence = TopicLayout.sequence(ofSubscriptionKey: key) { table.noteReached(sequence) }
        do {
            _ = try poison.meet(entry.offset) { deaths in
                guard let value = entry.value else { return table.remove(key: key) }
                try table.apply(
                    key: key, try SubscriptionEvent(decoding: value), at: entry.offset, isSuspect: deaths > 0)
            }
        } catch {
            malformed.increment()
            Log.error("subscription.malformed", ["offset": entry.offset, "error": "\(error)"])
        }
    }
}
