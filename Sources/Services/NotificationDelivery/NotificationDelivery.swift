package import CloudMessages
import Continuity
package import EventLog
package import Poison
package import Stages
import Telemetry
import Waiting

/// Stage 2: reads `deliveries` as a member of a group, runs each user's state machine, writes journals and pushes,
/// and commits state and position together. `DESIGN.md` explains why it loses and doubles nothing.
package struct NotificationDelivery: Sendable {
    static let notifications = Counter(
        "fanfare_notification_delivery_notifications_total", "Notifications that were made.")
    static let entries = Counter(
        "fanfare_notification_delivery_feed_entries_total", "Entries written to journals.")
    static let pushes = Counter(
        "fanfare_notification_delivery_pushes_total", "Entries written to pushes, for devices that have an address.")
    static let duplicates = Counter(
        "fanfare_notification_delivery_repeated_entries_total",
        "Entries of deliveries that came again and were dropped.")
    static let malformed = Counter(
        "fanfare_notification_delivery_malformed_entries_total",
        "Entries of deliveries that could not be read and were set aside.")
    static let lostHeld = Counter(
        "fanfare_notification_delivery_lost_held_total",
        "Times that hits which waited for a subscription's backfill were gone from deliveries before its end.")
    static let restarts = Counter(
        "fanfare_notification_delivery_restarts_total", "Times that the stage failed and started again.")
    static let partitionRestarts = Counter(
        "fanfare_notification_delivery_partition_restarts_total",
        "Times that the work on one partition failed and started again, while the others went on.")
    static let commits = Histogram(
        "fanfare_notification_delivery_step_seconds",
        "From reading a batch of deliveries to its outputs being acknowledged and its state noted for the next commit.")
    static let age = Histogram(
        "fanfare_notification_delivery_age_seconds",
        "From the commit of a change to the moment at which feeds have its notifications; the oldest change of each step."
    )
    static let unreadableUsers = Counter(
        "fanfare_notification_delivery_unreadable_users_total",
        "Users whose stored state could not be read when a partition was taken over: their entries are set aside.")

    private let log: any EventLog
    private let layout: TopicLayout
    private let poison: PoisonLedger?
    private let check: StartCheck

    /// Describes the stage of one container's environment.
    /// - Parameters:
    ///   - poison: the entries that are passed by; nil, as in tests, passes none by.
    ///   - check: made at each start of the stage, and while it runs.
    package init(log: any EventLog, layout: TopicLayout, poison: PoisonLedger? = nil, check: StartCheck = .none) {
        self.log = log
        self.layout = layout
        self.poison = poison
        self.check = check
    }

    /// The group whose members share the partitions of `deliveries`.
    package static func group(_ layout: TopicLayout) -> GroupName { layout.deliveryGroup }

    /// The state of a partition of `deliveries`, with its input.
    static func claim(_ number: Int32, _ layout: TopicLayout) -> StateClaim {
        StateClaim(
            input: TopicPartition(layout.deliveries, number), group: group(layout),
            state: TopicPartition(layout.deliveryState, number))
    }

    /// Delivers until the task is cancelled; every failure starts it again from the committed state.
    package func run() async {
        Self.registerMetrics()
        let progress = StageProgress(.deliver, scope: "\(layout.scope)")
        await progress.watched(on: log) {
            await persistently(failed: { error, pause in
                Self.restarts.increment()
                progress.failed(nil, error)
                Log.warning("deliver.failed", ["scope": "\(layout.scope)", "error": "\(error)", "pause": "\(pause)"])
            }) {
                try await check.around { try await run(progress) }
            }
        }
    }

    /// Registers the metrics of the module: counters are there from the start, at 0, so that a first increase shows.
    private static func registerMetrics() {
        _ = (notifications, entries, pushes, duplicates, malformed, lostHeld, restarts, partitionRestarts)
        _ = (commits, age, unreadableUsers)
    }

    private func run(_ progress: StageProgress) async throws {
        try await poison?.waitUntilReady()
        let membership = try await log.join(Self.group(layout), topics: [layout.deliveries])
        progress.waits(for: nil)
        let doubts = TailDoubts(log, (0..<layout.partitions).map { TopicPartition(layout.deliveries, $0) })
        // Each partition has a writer of its own, so that one which dies stops one partition.
        let stage = PartitionedStage(
            sharesWriter: false, progress: progress,
            work: { partition, membership in
                try await check.pass()
                let deliverer = PartitionDeliverer(
                    log: log, layout: layout, poison: poison, partition: partition, membership: membership,
                    progress: progress, doubts: doubts)
                try await deliverer.run()
            },
            ended: { _, _ in },
            failed: { partition, error, pause in
                Self.partitionRestarts.increment()
                Log.warning(
                    "deliver.partition.failed", ["partition": "\(partition)", "error": "\(error)", "pause": "\(pause)"])
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await stage.run(membership) }
            group.addTask { try await doubts.run() }
            try await group.next()
        }
    }
}
