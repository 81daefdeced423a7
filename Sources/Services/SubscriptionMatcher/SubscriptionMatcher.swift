package import CloudMessages
import CloudModel
package import EventLog
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
    private let progress: StageProgress

    /// Describes the stage of one container's environment.
    /// - Parameters:
    ///   - poison: the ledger of entries that are passed by; nil, as in tests, knows none.
    ///   - check: made at each start of the stage.
    package init(log: any EventLog, layout: TopicLayout, poison: PoisonLedger? = nil, check: StartCheck = .none) {
        self.log = log
        self.layout = layout
        self.poison = poison
        self.check = check
        progress = StageProgress(.match, scope: "\(layout.scope)")
        progress.waits(for: "the table of subscriptions")
    }

    /// The group whose members share the partitions of `changes.*`.
    package static func group(_ layout: TopicLayout) -> GroupName { GroupName("\(layout.prefix)subscription-matcher") }

    /// Matches until the task is cancelled; every failure starts it again from the committed positions.
    package func run() async { await progress.watched(on: log) { await runWatched() } }

    private func runWatched() async {
        await persistently(failed: { error, pause in
            Self.restarts.increment()
            progress.failed(nil, error)
            Log.warning("match.failed", ["scope": "\(layout.scope)", "error": "\(error)", "pause": "\(pause)"])
        }) {
            try await runOnce()
        }
    }

    /// Makes what one run needs, and works until something fails that concerns all partitions.
    private func runOnce() async throws {
        try await check.pass()
        try await poison?.waitUntilReady()
        let subscriptions = SubscriptionFollower(
            log: log, topic: layout.subscriptions,
            poison: poison?.watch(.table, TopicPartition(layout.subscriptions), incarnation: 0))
        try await log.withWriter { writer in
            let run = MatchRun(
                log: log, layout: layout, poison: poison, subscriptions: subscriptions, writer: writer,
                committer: PositionCommitter(), progress: progress, check: check)
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await subscriptions.run() }
                group.addTask { try await run.matchAsMember(of: Self.group(layout)) }
                try await group.next()
            }
        }
    }
}
