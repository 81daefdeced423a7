import CloudMessages
import CloudModel
import EventLog
import Poison
import Stages
import Telemetry
import Timing

/// Runs the steps of one partition: applies entries, writes, and notes the state for the next commit.
struct StepWork {
    let log: any EventLog
    let partition: TopicPartition
    private let poison: PoisonLedger?
    let watch: PoisonWatch?
    let committer: StateCommitter
    private let writer: any LogWriter
    var machine: PartitionDelivery
    /// The time of the oldest change in the last step, or of its newest entry where it had none.
    private(set) var time: LogTimestamp?

    init(
        log: any EventLog, partition: TopicPartition, poison: PoisonLedger?, committer: StateCommitter,
        writer: any LogWriter, machine: PartitionDelivery
    ) {
        self.log = log
        self.partition = partition
        self.poison = poison
        self.committer = committer
        self.writer = writer
        self.machine = machine
        watch = poison?.watch(.deliver, partition, incarnation: machine.source.incarnation)
    }

    /// Works on entries: all outputs are acknowledged before their state is noted for a commit.
    /// - Parameter next: the offset that is noted after all of them were applied.
    /// - Returns: the noted offset: later entries may have to wait for held hits.
    mutating func run(_ entries: ArraySlice<LogEntry>, next: Int64) async throws -> Int64 {
        try await committer.makeRoom()
        let began = WallClock.nanoseconds
        let step = machine.apply(entries, poison: watch)
        try await write(step.outputs)
        try await report(step)
        let reached = entries.dropFirst(step.count).first?.offset ?? next
        // A device that registers waits for the commit.
        committer.note(step.changes, offset: reached, at: step.time, isUrgent: step.outputs.hasRegistration)
        note(step)
        recordSpans(of: step, from: began)
        return reached
    }

    // MARK: Writing

    /// Writes the outputs of a step, in the order that readers rely on: a device may read its feed after a push.
    func write(_ outputs: DeliveryOutputs) async throws {
        guard !outputs.isEmpty else { return }
        try await writer.append(outputs.journals + outputs.commands)
        KillPoint.reach(.deliverJournalsWritten)
        if !outputs.pushes.isEmpty { try await writer.append(outputs.pushes) }
        KillPoint.reach(.deliverWritten)
        NotificationDelivery.notifications.increment(by: outputs.notificationCount)
        NotificationDelivery.entries.increment(by: outputs.journals.count)
        NotificationDelivery.pushes.increment(by: outputs.pushes.count)
    }

    /// Reports the entries that were set aside to operators.
    func report(_ step: PartitionDelivery.Step) async throws {
        NotificationDelivery.duplicates.increment(by: step.duplicates)
        NotificationDelivery.malformed.increment(by: step.malformed.count)
        for (entry, reason) in step.malformed {
            entry.inTrace {
                Log.error(
                    "delivery.malformed",
                    ["partition": "\(partition)", "offset": entry.offset, "error": reason])
            }
            let place = PoisonPlace(
                stage: .deliver, topic: machine.source.origin, incarnation: machine.source.incarnation,
                partition: machine.source.partition, offset: entry.offset)
            try await poison?.noteUnreadable(place, reason)
        }
    }

    /// Records spans of the changes whose notifications are written now.
    private func recordSpans(of step: PartitionDelivery.Step, from start: Int64) {
        guard !step.traces.isEmpty, Tracer.shared.isOn else { return }
        let end = WallClock.nanoseconds
        for (offset, trace) in step.traces {
            let place = (partition.partition, offset)
            Span(stage: "deliver", of: trace, place: place, start: start, end: end).map(Tracer.shared.record)
        }
    }

    private mutating func note(_ step: PartitionDelivery.Step) {
        time = step.oldestChange.map { LogTimestamp($0) } ?? step.time
        guard let oldest = step.oldestChange else { return }
        NotificationDelivery.age.record(.milliseconds(max(0, WallClock.milliseconds - oldest.milliseconds)))
    }
}
