import CloudMessages
import CloudModel
import Continuity
import EventLog
import Poison
import Stages
import Telemetry

/// One run of stage 1: everything that its partitions share until the run fails.
struct MatchRun: Sendable {
    static let partitionRestarts = Counter(
        "fanfare_subscription_matcher_partition_restarts_total",
        "Times that the work on one partition failed and started again, while the others went on.")

    let log: any EventLog
    let layout: TopicLayout
    let poison: PoisonLedger?
    let subscriptions: SubscriptionFollower
    let writer: any LogWriter
    let committer: PositionCommitter
    let progress: StageProgress
    let check: StartCheck

    /// Joins the group once the table has all subscriptions that were in the topic, and works on the partitions that
    /// the group assigns.
    func matchAsMember(of group: GroupName) async throws {
        try await subscriptions.catchUp(with: writer)
        progress.waits(for: nil)
        let topics = DatabaseScope.allCases.map(layout.changes)
        let doubts = TailDoubts(
            log, topics.flatMap { topic in (0..<layout.partitions).map { TopicPartition(topic, $0) } })
        let membership = try await log.join(group, topics: topics)
        let stage = PartitionedStage(
            progress: progress,
            work: { partition, membership in
                try await check.pass()
                try await PartitionMatcher.work(on: partition, membership, in: self, doubts)
            },
            ended: { partitions, membership in try await committer.flush(partitions, membership) },
            failed: { partition, error, pause in
                Self.partitionRestarts.increment()
                Log.warning(
                    "match.partition.failed", ["partition": "\(partition)", "error": "\(error)", "pause": "\(pause)"])
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await stage.run(membership) }
            group.addTask { try await doubts.run() }
            group.addTask { try await committer.run(membership) }
            try await group.next()
        }
    }
}
