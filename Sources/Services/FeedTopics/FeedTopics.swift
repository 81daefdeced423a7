package import CloudMessages
import Continuity
package import EventLog
package import Poison
package import Stages
import Telemetry

/// Stage 3: reads `journals` as a member of a group and gives each device a topic of its own, with all retained entries
/// of its user's journal that concern it, and then the new ones. `DESIGN.md` explains why it loses and doubles nothing.
package struct FeedTopics: Sendable {
    static let entries = Counter(
        "fanfare_feed_topics_entries_total", "Entries written to the topics of devices.")
    static let malformed = Counter(
        "fanfare_feed_topics_malformed_entries_total", "Entries of journals that could not be read and were set aside.")
    static let made = Counter(
        "fanfare_feed_topics_made_total", "Topics of devices that were made.")
    static let madeAgain = Counter(
        "fanfare_feed_topics_made_again_total",
        "Topics of devices that were gone, or had lost their place in journals, and were made again.")
    static let refused = Counter(
        "fanfare_feed_topics_refused_total",
        "Times that the log did not make or delete the topic of a device; it is tried again.")
    static let restarts = Counter(
        "fanfare_feed_topics_restarts_total", "Times that the stage failed and started again.")
    static let partitionRestarts = Counter(
        "fanfare_feed_topics_partition_restarts_total",
        "Times that the work on one partition failed and started again, while the others went on.")
    static let steps = Histogram(
        "fanfare_feed_topics_step_seconds", "From reading entries of journals to their copies being acknowledged.")

    private let log: any EventLog
    private let layout: TopicLayout
    private let poison: PoisonLedger?
    private let check: StartCheck

    /// Describes the stage of one container's environment, whose layout has topics of devices.
    /// - Parameters:
    ///   - log: shows `journals` as it is.
    ///   - poison: the entries that are passed by; nil, as in tests, passes none by.
    ///   - check: made at each start of the stage, and while it runs.
    package init(log: any EventLog, layout: TopicLayout, poison: PoisonLedger? = nil, check: StartCheck = .none) {
        self.log = log
        self.layout = layout
        self.poison = poison
        self.check = check
    }

    /// Copies until the task is cancelled; every failure starts it again from the committed state.
    package func run() async {
        // Counters are there from the start, at 0, so that a first increase shows.
        _ = (Self.entries, Self.malformed, Self.made, Self.madeAgain, Self.refused, Self.steps)
        _ = (Self.restarts, Self.partitionRestarts)
        let progress = StageProgress(.feeds, scope: "\(layout.scope)")
        await progress.watched(on: log) {
            await persistently(failed: { error, pause in
                Self.restarts.increment()
                progress.failed(nil, error)
                Log.warning("feeds.failed", ["scope": "\(layout.scope)", "error": "\(error)", "pause": "\(pause)"])
            }) {
                try await check.around { try await run(progress) }
            }
        }
    }

    private func run(_ progress: StageProgress) async throws {
        try await poison?.waitUntilReady()
        let membership = try await log.join(layout.feedTopicsGroup, topics: [layout.journals])
        progress.waits(for: nil)
        let doubts = TailDoubts(log, (0..<layout.partitions).map { TopicPartition(layout.journals, $0) })
        let stage = PartitionedStage(
            sharesWriter: false, progress: progress,
            work: { partition, membership in
                try await check.pass()
                let copier = PartitionCopier(
                    log: log, layout: layout, poison: poison, partition: partition, membership: membership,
                    progress: progress, doubts: doubts)
                try await copier.run()
            },
            ended: { _, _ in },
            failed: { partition, error, pause in
                Self.partitionRestarts.increment()
                Log.warning(
                    "feeds.partition.failed", ["partition": "\(partition)", "error": "\(error)", "pause": "\(pause)"])
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await stage.run(membership) }
            group.addTask { try await doubts.run() }
            try await group.next()
        }
    }
}
