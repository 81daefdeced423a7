package import CloudMessages
import CloudModel
package import EventLog
package import Poison
package import Stages
import Telemetry

/// Stage 1: reads changes as a member of a group, matches each against all subscriptions, and writes the hits to
/// `deliveries` by user. `DESIGN.md` says why it loses and doubles nothing.
package struct SubscriptionMatcher: Sendable {
    static let restarts = Counter(
        "fanfare_subscription_matcher_restarts_total", "Times that the stage failed and started again.")

    private let log: any EventLog
    private let layout: TopicLayout
    private let poison: PoisonLedger?
    private let check: StartCheck
    private let snapshots: TableSnapshots?
    private let progress: StageProgress

    /// Describes the stage of one container's environment.
    /// - Parameters:
    ///   - poison: the ledger of entries that are passed by; nil, as in tests, knows none.
    ///   - check: made at each start of the stage, and while it runs.
    ///   - snapshots: where the table of subscriptions is kept for the next start; nil keeps none.
    package init(
        log: any EventLog, layout: TopicLayout, poison: PoisonLedger? = nil, check: StartCheck = .none,
        snapshots: TableSnapshots? = nil
    ) {
        self.log = log
        self.layout = layout
        self.poison = poison
        self.check = check
        self.snapshots = snapshots
        progress = StageProgress(.match, scope: "\(layout.scope)")
        progress.waits(for: "the table of subscriptions")
    }

    /// The group whose members share the partitions of `changes.*`.
    package static func group(_ layout: TopicLayout) -> GroupName { layout.matchingGroup }

    /// Matches until the task is cancelled; every failure starts it again from the committed positions. The table of
    /// subscriptions outlives those that do not concern it.
    package func run() async {
        Self.registerMetrics()
        await progress.watched(on: log) { await runWatched() }
    }

    /// Registers the metrics of the module: counters are there from the start, at 0, so that a first increase shows.
    private static func registerMetrics() {
        _ = (restarts, MatchRun.partitionRestarts, BackfillWorker.examined, BackfillWorker.shares)
        _ = (SubscriptionFollower.versions, SubscriptionFollower.malformed, SubscriptionFollower.snapshotSeconds)
        _ = (PartitionMatcher.matched, PartitionMatcher.repeats, PartitionMatcher.hits, PartitionMatcher.malformed)
        _ = PartitionMatcher.age
    }

    private func runWatched() async {
        await restarting {
            try await check.pass()
            try await poison?.waitUntilReady()
            let subscriptions = SubscriptionFollower(
                log: log, layout: layout,
                poison: poison?.watch(.table, TopicPartition(layout.subscriptions), incarnation: 0),
                snapshots: snapshots)
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await subscriptions.run() }
                group.addTask { await restarting { try await runOnce(subscriptions) } }
                try await group.next()
            }
        }
    }

    private func restarting(_ body: @Sendable () async throws -> Void) async {
        await persistently(
            failed: { error, pause in
                Self.restarts.increment()
                progress.failed(nil, error)
                Log.warning("match.failed", ["scope": "\(layout.scope)", "error": "\(error)", "pause": "\(pause)"])
            }, body)
    }

    /// Makes what one run needs, and works until something fails that concerns all partitions.
    private func runOnce(_ subscriptions: SubscriptionFollower) async throws {
        try await check.around {
            try await log.withWriter { writer in
                let run = MatchRun(
                    log: log, layout: layout, poison: poison, subscriptions: subscriptions, writer: writer,
                    committer: PositionCommitter(), progress: progress, check: check)
                try await run.matchAsMember(of: Self.group(layout))
            }
        }
    }
}
