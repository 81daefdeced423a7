package import CloudMessages
package import EventLog
package import Stages
import Telemetry
import Waiting

/// Stage 2: reads `deliveries` as a member of a group, runs each user's state machine, writes journals and feeds, and
/// commits state and position together. `DESIGN.md` says why it loses and doubles nothing.
package struct NotificationDelivery: Sendable {
    static let notifications = Counter(
        "fanfare_notification_delivery_notifications_total", "Notifications that were made.")
    static let entries = Counter(
        "fanfare_notification_delivery_feed_entries_total", "Entries written to journals and feeds.")
    static let repeats = Counter(
        "fanfare_notification_delivery_repeated_entries_total",
        "Entries of deliveries that came again and were dropped.")
    static let malformed = Counter(
        "fanfare_notification_delivery_malformed_entries_total",
        "Entries of deliveries that could not be read and were set aside.")
    static let restarts = Counter(
        "fanfare_notification_delivery_restarts_total", "Times that the stage failed and started again.")
    static let partitionRestarts = Counter(
        "fanfare_notification_delivery_partition_restarts_total",
        "Times that the work on one partition failed and started again, while the others went on.")
    static let commits = Histogram(
        "fanfare_notification_delivery_step_seconds", "From reading a batch of deliveries to the commit of its state.")

    /// Bytes of entries of `deliveries` after which a step is full.
    static let stepBytesMax = 1 << 20

    private let log: any EventLog
    private let layout: TopicLayout
    private let poison: PoisonLedger?

    /// Describes the stage of one container's environment.
    /// - Parameter poison: what knows the entries that are passed by; nil, as in tests, knows none.
    package init(log: any EventLog, layout: TopicLayout, poison: PoisonLedger? = nil) {
        self.log = log
        self.layout = layout
        self.poison = poison
    }

    /// The group whose members share the partitions of `deliveries`.
    package static func group(_ layout: TopicLayout) -> GroupName { GroupName("\(layout.prefix)notification-delivery") }

    /// Delivers until the task is cancelled; every failure starts it again from the committed state.
    package func run() async {
        await persistently(failed: { error, pause in
            Self.restarts.increment()
            Log.warning("deliver.failed", ["scope": "\(layout.scope)", "error": "\(error)", "pause": "\(pause)"])
        }) {
            try await log.withWriter { try await run($0) }
        }
    }

    private func run(_ writer: any LogWriter) async throws {
        try await poison?.waitUntilReady()
        guard let incarnation = try await log.describeTopics([layout.deliveries])[layout.deliveries]?.incarnation else {
            throw LogError.unknownTopic(layout.deliveries.rawValue)
        }
        let membership = try await log.join(Self.group(layout), topics: [layout.deliveries])
        let stage = PartitionedStage(
            work: { partition, membership in
                let source = SourceID(
                    origin: layout.shortName(partition.topic), incarnation: incarnation, partition: partition.partition)
                try await work(partition, source, membership, writer)
            },
            ended: { _, _ in },
            failed: { partition, error, pause in
                Self.partitionRestarts.increment()
                Log.warning(
                    "deliver.partition.failed", ["partition": "\(partition)", "error": "\(error)", "pause": "\(pause)"])
            })
        try await stage.run(membership)
    }

    /// Works on one partition: takes its state over, which shuts out whoever had it, and goes on from there.
    private func work(
        _ partition: TopicPartition, _ source: SourceID, _ membership: any LogMembership, _ writer: any LogWriter
    ) async throws {
        let session = try await log.takeOver(
            StateClaim(
                input: partition, group: Self.group(layout),
                state: TopicPartition(layout.deliveryState, partition.partition)))
        try await Task.closing({ await session.close() }) {
            try await deliver(partition, source, session, membership, writer)
        }
    }

    private func deliver(
        _ partition: TopicPartition, _ source: SourceID, _ session: any LogStateSession,
        _ membership: any LogMembership, _ writer: any LogWriter
    ) async throws {
        var machine = try PartitionDelivery(layout: layout, source: source, state: session.initialState)
        try await delete(&machine)
        let start: Int64
        if let committed = session.initialOffset {
            start = committed
        } else {
            start = try await log.bounds(of: [partition])[partition]?.start ?? 0
        }
        let follower = try await membership.start(partition, from: start)
        let watch = poison?.watch(.deliver, partition, incarnation: source.incarnation)
        while true {
            let batch = try await follower.next()
            for entries in Self.steps(of: batch.entries) {
                let began = ContinuousClock().now
                let step = machine.apply(entries, poison: watch)
                try await report(step, partition, source)
                try await write(step.outputs, with: writer)
                let isLast = entries.endIndex == batch.entries.endIndex
                let next = isLast ? batch.nextOffset : batch.entries[entries.endIndex].offset
                try await session.commit(step.changes, offset: next, at: step.time)
                Self.commits.record(ContinuousClock().now - began)
                try await delete(&machine)
            }
        }
    }

    /// Cuts a batch into steps of few bytes: a step holds what it writes to all devices of its users at once.
    static func steps(of entries: [LogEntry]) -> [ArraySlice<LogEntry>] {
        var steps: [ArraySlice<LogEntry>] = []
        var start = 0
        var bytes = 0
        for (index, entry) in entries.enumerated() {
            bytes += entry.value?.count ?? 0
            guard bytes >= stepBytesMax || index == entries.count - 1 else { continue }
            steps.append(entries[start...index])
            (start, bytes) = (index + 1, 0)
        }
        return steps
    }

    /// Writes what a step made. A device's first entry names the journal's last, so that this has to be there before.
    private func write(_ outputs: DeliveryOutputs, with writer: any LogWriter) async throws {
        guard !outputs.isEmpty else { return }
        if !outputs.topics.isEmpty { _ = try await log.createTopics(outputs.topics) }
        if outputs.hasRegistration {
            try await writer.append(outputs.journals)
            try await writer.append(outputs.feeds + outputs.commands)
        } else {
            try await writer.append(outputs.journals + outputs.feeds + outputs.commands)
        }
        Self.notifications.increment(by: outputs.notificationCount)
        Self.entries.increment(by: outputs.journals.count + outputs.feeds.count)
    }

    /// Deletes the topics of removed devices, after the commit of the state past their removal.
    private func delete(_ machine: inout PartitionDelivery) async throws {
        let pending = machine.pending
        guard !pending.isEmpty else { return }
        try await log.deleteTopics(pending.map { layout.feed($0.pending.device, $0.pending.epoch) })
        for (user, item) in pending { machine.deleted(user, item) }
    }

    private func report(_ step: PartitionDelivery.Step, _ partition: TopicPartition, _ source: SourceID) async throws {
        Self.repeats.increment(by: step.repeats)
        Self.malformed.increment(by: step.malformed.count)
        for (offset, reason) in step.malformed {
            Log.error(
                "delivery.malformed",
                ["partition": "\(partition)", "offset": offset, "error": reason])
            let place = PoisonPlace(
                stage: .deliver, topic: source.origin, incarnation: source.incarnation, partition: source.partition,
                offset: offset)
            try await poison?.noteUnreadable(place, reason)
        }
    }
}
