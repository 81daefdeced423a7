import CloudMessages
import CloudModel
import EventLog
import Stages
import Telemetry
import Timing

/// Runs the steps of one partition: applies entries, creates the topics that they need, writes, and notes the state for
/// the next commit.
struct StepWork {
    /// Looks for missing topics at one step at most.
    private static let attemptsMax = 3
    /// Entries of feeds at most beside which hints are written, and not behind them.
    private static let entriesBesideHints = 32
    /// The time after which feeds that the log did not delete are tried again.
    private static let deletionPause = Duration.seconds(60)

    let log: any EventLog
    let partition: TopicPartition
    private let poison: PoisonLedger?
    let watch: PoisonWatch?
    let committer: StateCommitter
    private let writer: any LogWriter
    var machine: PartitionDelivery
    /// True until a step was written: the work may have failed before at a topic that is gone.
    private(set) var isUnsure = true
    private var nextDeletion = Time.now
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
        var refused: [TopicName: String] = [:]
        var looks = 0
        let began = WallClock.nanoseconds
        let first = (offset: entries[entries.startIndex].offset, index: Int32(0))
        while true {
            let step = machine.apply(entries, poison: watch, refused: refused)
            if isUnsure, looks == 0 {
                looks += 1
                try await makeAgain(for: step, before: first, committed: first.offset, &refused)
                continue
            }
            let failed = try await make(step.outputs.topics)
            guard failed.isEmpty else {
                machine.undo(step)
                refused.merge(failed) { $1 }
                continue
            }
            if !step.outputs.topics.isEmpty { KillPoint.reach(.deliverTopicsMade) }
            do {
                try await write(step.outputs, at: step.time)
            } catch LogError.unknownTopic(let name) {
                // Nothing of it was written.
                looks += 1
                guard looks <= Self.attemptsMax else { throw LogError.unknownTopic(name) }
                try await makeAgain(for: step, before: first, committed: first.offset, &refused)
                continue
            }
            try await report(step, refused)
            let rest = entries.dropFirst(step.count)
            let reached = rest.first?.offset ?? next
            // A device that registers waits for the commit; what the log refused has to be decided once.
            committer.note(
                step.changes, offset: reached, at: step.time,
                isUrgent: step.outputs.hasRegistration || !refused.isEmpty)
            if !refused.isEmpty { try await committer.flush() }
            note(step)
            recordSpans(of: step, from: began)
            return reached
        }
    }

    /// Deletes the topics of removed devices and users, after the commit of the state past their removal. What the log does not
    /// delete now stays in the state and is tried again.
    /// - Throws: the failure of that commit.
    mutating func deleteFeeds() async throws {
        guard Time.now >= nextDeletion else { return }
        let pending = machine.pending
        guard !pending.isEmpty else { return }
        try await committer.flush()
        var failures: [TopicName: LogError] = [:]
        do {
            failures = try await log.deleteTopics(pending.map(\.topic))
        } catch {
            let reason = error as? LogError ?? .unavailable("\(error)")
            for (_, topic) in pending { failures[topic] = reason }
        }
        KillPoint.reach(.deliverFeedsDeleted)
        for (user, topic) in pending where failures[topic] == nil { machine.deleted(user, topic) }
        guard let failure = failures.first else { return }
        nextDeletion = Time.now + Self.deletionPause
        NotificationDelivery.deletionsFailed.increment(by: failures.count)
        Log.warning(
            "delivery.deletion.failed",
            [
                "partition": "\(partition)", "topic": "\(failure.key)", "error": "\(failure.value)",
                "count": failures.count,
            ])
    }

    // MARK: Topics

    /// Recreates missing topics that a step writes to; the step is undone then, and has to be applied again.
    ///
    /// The state of restarted feeds is committed first: it proves that the partition is still ours, or we would
    /// recreate the topic of a removed device; and after an interruption the next owner still finds the topic missing.
    /// - Parameters:
    ///     - place: the offset and index of the step's first output.
    ///     - committed: the offset of the partition.
    mutating func makeAgain(
        for step: PartitionDelivery.Step, before place: (offset: Int64, index: Int32), committed: Int64,
        _ refused: inout [TopicName: String]
    ) async throws {
        let topics = step.outputs.existingTopics
        let found = topics.isEmpty ? [:] : try await log.describeTopics(topics.sorted())
        machine.undo(step)
        // One that began again may have been made and not written to.
        let missing = topics.filter { found[$0] == nil }.union(machine.beginningFeeds(of: step.before.keys))
        guard !missing.isEmpty else { return }
        let layout = machine.layout
        let begun = machine.beginAgain(missing, of: step.before.keys, before: place, at: step.time)
        committer.note(begun.changes, offset: committed, at: step.time)
        try await committer.flush()
        let journals = step.before.keys.filter { missing.contains(layout.journal($0)) }.map(layout.journalSpecification)
        let failed = try await make(journals + begun.outputs.topics)
        refused.merge(failed) { $1 }
        try await writer.append(begun.outputs.feeds.filter { failed[$0.partition.topic] == nil })
        NotificationDelivery.topicsMadeAgain.increment(by: missing.count - failed.count)
        for topic in missing.sorted() where failed[topic] == nil {
            Log.error("delivery.topic.made-again", ["partition": "\(partition)", "topic": "\(topic)"])
        }
        machine.noteBegun(missing.subtracting(failed.keys), of: step.before.keys)
    }

    /// Makes topics that are not there.
    /// - Returns: those that the log does not make, and why.
    /// - Throws: when the log cannot be reached, or somebody has to try again.
    func make(_ topics: [TopicSpecification]) async throws -> [TopicName: String] {
        guard !topics.isEmpty else { return [:] }
        var refused: [TopicName: String] = [:]
        for (name, outcome) in try await log.createTopics(topics) {
            guard case .failed(let error) = outcome else { continue }
            guard PartitionProgress.isLasting(error) else { throw error }
            refused[name] = "\(error)"
        }
        return refused
    }

    // MARK: Writing

    /// Writes the outputs of a step, in the order that readers rely on: a device's first entry names the journal's
    /// last, and a courier reads the feed after a push.
    func write(_ outputs: DeliveryOutputs, at time: LogTimestamp) async throws {
        guard !outputs.isEmpty else { return }
        let hints = outputs.hintEntries(
            to: TopicPartition(machine.layout.pushes, partition.partition), at: time)
        // A few entries arrive at about the same time; with many, early wakeups would find nothing.
        let isFew = outputs.feeds.count <= Self.entriesBesideHints
        let beside = isFew ? hints : []
        if outputs.hasRegistration {
            try await writer.append(outputs.journals)
            KillPoint.reach(.deliverJournalsWritten)
            try await writer.append(outputs.feeds + outputs.commands + beside)
        } else {
            try await writer.append(outputs.journals + outputs.feeds + outputs.commands + beside)
        }
        KillPoint.reach(.deliverFeedsWritten)
        let behind = outputs.pushes + (isFew ? [] : hints)
        if !behind.isEmpty { try await writer.append(behind) }
        KillPoint.reach(.deliverWritten)
        NotificationDelivery.notifications.increment(by: outputs.notificationCount)
        NotificationDelivery.entries.increment(by: outputs.journals.count + outputs.feeds.count)
        NotificationDelivery.pushes.increment(by: outputs.pushes.count)
    }

    /// Reports the entries that were set aside to operators.
    func report(_ step: PartitionDelivery.Step, _ refused: [TopicName: String]) async throws {
        NotificationDelivery.duplicates.increment(by: step.duplicates)
        NotificationDelivery.malformed.increment(by: step.malformed.count)
        NotificationDelivery.feedsRefused.increment(by: step.droppedFeeds.count)
        for feed in step.droppedFeeds {
            Log.error(
                "delivery.feed.refused",
                ["partition": "\(partition)", "topic": "\(feed)", "error": refused[feed] ?? ""])
        }
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

    /// Notes that a step was written in this run, to topics that are there.
    mutating func noteSure() { isUnsure = false }

    private mutating func note(_ step: PartitionDelivery.Step) {
        noteSure()
        time = step.oldestChange.map { LogTimestamp($0) } ?? step.time
        guard let oldest = step.oldestChange else { return }
        NotificationDelivery.age.record(.milliseconds(max(0, WallClock.milliseconds - oldest.milliseconds)))
    }
}
