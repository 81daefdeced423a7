import CloudMessages
import EventLog
import Stages
import Telemetry
import Waiting

/// The work of stage 2 on one partition of `deliveries`: takes its state over, which fences whoever had it, and goes on
/// from there.
struct PartitionDeliverer: Sendable {
    let log: any EventLog
    let layout: TopicLayout
    /// The entries that are passed by; nil, as in tests, passes none by.
    let poison: PoisonLedger?
    /// The partition.
    let partition: TopicPartition
    /// The partition as the source of what is written.
    let source: SourceID
    let membership: any LogMembership
    let writer: any LogWriter

    /// Delivers until the partition is taken away, or fails.
    func run() async throws {
        let session = try await log.takeOver(
            StateClaim(
                input: partition, group: NotificationDelivery.group(layout),
                state: TopicPartition(layout.deliveryState, partition.partition)))
        try await Task.closing({ await session.close() }) { try await run(session) }
    }

    private func run(_ session: any LogStateSession) async throws {
        var machine = try PartitionDelivery(layout: layout, source: source, state: session.takeInitialState())
        KillPoint.reach(.deliverTakenOver)
        try await deleteFeeds(&machine)
        let follower = try await membership.start(partition, from: start(session))
        let watch = poison?.watch(.deliver, partition, incarnation: source.incarnation)
        while true {
            let batch = try await follower.next()
            for entries in DeliveryPlan.steps(batch.entries) {
                let began = ContinuousClock().now
                let step = machine.apply(entries, poison: watch)
                try await report(step)
                try await write(step.outputs)
                let isLast = entries.endIndex == batch.entries.endIndex
                let next = isLast ? batch.nextOffset : batch.entries[entries.endIndex].offset
                try await session.commit(step.changes, offset: next, at: step.time)
                KillPoint.reach(.deliverCommitted)
                NotificationDelivery.commits.record(ContinuousClock().now - began)
                try await deleteFeeds(&machine)
            }
        }
    }

    /// The committed offset; the start of the partition where nothing was committed.
    private func start(_ session: any LogStateSession) async throws -> Int64 {
        if let committed = session.initialOffset { return committed }
        return try await log.bounds(of: [partition])[partition]?.start ?? 0
    }

    /// Writes what a step made, in the order in which readers rely on it: a device's first entry names the journal's last,
    /// and a courier that is told of a push reads the feed.
    private func write(_ outputs: DeliveryOutputs) async throws {
        guard !outputs.isEmpty else { return }
        if !outputs.topics.isEmpty {
            try await log.requireTopics(outputs.topics)
            KillPoint.reach(.deliverTopicsMade)
        }
        if outputs.hasRegistration {
            try await writer.append(outputs.journals)
            KillPoint.reach(.deliverJournalsWritten)
            try await writer.append(outputs.feeds + outputs.commands)
        } else {
            try await writer.append(outputs.journals + outputs.feeds + outputs.commands)
        }
        KillPoint.reach(.deliverFeedsWritten)
        if !outputs.pushes.isEmpty { try await writer.append(outputs.pushes) }
        KillPoint.reach(.deliverWritten)
        NotificationDelivery.notifications.increment(by: outputs.notificationCount)
        NotificationDelivery.entries.increment(by: outputs.journals.count + outputs.feeds.count)
        NotificationDelivery.pushes.increment(by: outputs.pushes.count)
    }

    /// Deletes the topics of removed devices, after the commit of the state past their removal.
    private func deleteFeeds(_ machine: inout PartitionDelivery) async throws {
        let pending = machine.pending
        guard !pending.isEmpty else { return }
        let failures = try await log.deleteTopics(pending.map { layout.feed($0.pending.device, $0.pending.epoch) })
        KillPoint.reach(.deliverFeedsDeleted)
        if let error = failures.values.first { throw error }
        for (user, item) in pending { machine.deleted(user, item) }
    }

    private func report(_ step: PartitionDelivery.Step) async throws {
        NotificationDelivery.duplicates.increment(by: step.duplicates)
        NotificationDelivery.malformed.increment(by: step.malformed.count)
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
