import CloudMessages
import Continuity
import EventLog
import Poison
import Stages
import Synchronization
import Telemetry
import Timing
import Waiting

/// The work of stage 2 on one partition of `deliveries`: takes its state over, which fences the former owner, and
/// continues from there.
struct PartitionDeliverer: Sendable {
    let log: any EventLog
    let layout: TopicLayout
    /// The entries that are passed by; nil, as in tests, passes none by.
    let poison: PoisonLedger?
    /// The partition.
    let partition: TopicPartition
    let membership: any LogMembership
    let progress: StageProgress
    let doubts: TailDoubts

    /// Delivers until the partition is taken away, or fails.
    func run() async throws {
        guard partition.partition < layout.partitions else { return try await leaveAlone() }
        let session = try await log.takeOver(NotificationDelivery.claim(partition.partition, layout))
        try await Task.closing({ await session.close() }) {
            try await log.withWriter { writer in try await run(session, writer) }
        }
    }

    private func run(_ session: any LogStateSession, _ writer: any LogWriter) async throws {
        let committed = try PartitionDelivery.position(of: session.initialState, at: try await start(session))
        // The topic's incarnation is read at each start of a partition, and after the takeover: the topic may have been
        // recreated while the stage went on.
        let (position, follower, lost) = try await log.follow(partition, from: committed) {
            try await membership.start(partition, from: $0)
        }
        let source = SourceID(
            origin: layout.shortName(partition.topic), incarnation: position.incarnation,
            partition: partition.partition)
        lost?.report(by: .deliver)
        let machine = try PartitionDelivery(layout: layout, source: source, state: session.initialState)
        report(machine.unreadableUsers.map { ("\($0)", $1) })
        let committer = StateCommitter(session, reaching: .deliverCommitted)
        let reached = ReachedPosition(position)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await committer.run() }
            group.addTask { try await doubts.compare(partition) { reached.value } }
            group.addTask {
                try await deliver(
                    from: position.offset, isElsewhere: !committed.isOf(position.incarnation), lost, follower, machine,
                    writer, committer, reached)
            }
            try await group.next()
        }
    }

    /// - Parameters:
    ///   - isElsewhere: true where the state was committed in a topic that was deleted since.
    ///   - lost: the entries that the state was made of and that the topic has lost.
    private func deliver(
        from start: Int64, isElsewhere: Bool, _ lost: LostTail?, _ follower: any LogFollower,
        _ machine: PartitionDelivery,
        _ writer: any LogWriter, _ committer: StateCommitter, _ reached: ReachedPosition
    ) async throws {
        var work = StepWork(
            log: log, partition: partition, poison: poison, committer: committer, writer: writer, machine: machine)
        KillPoint.reach(.deliverTakenOver)
        if isElsewhere { try await work.forgetHeld(at: start) }
        if lost != nil { try await work.beginHistory(at: start) }
        try await work.releaseHeld(at: start)
        while true {
            let batch = try await follower.next()
            var rest = DeliveryPlan.steps(batch.entries)[...]
            while let entries = rest.popFirst() {
                let began = ContinuousClock().now
                let isLast = entries.endIndex == batch.entries.endIndex
                let end = isLast ? batch.nextOffset : batch.entries[entries.endIndex].offset
                let next = try await work.run(entries, next: end)
                if next < end { rest = [entries.drop { $0.offset < next }] + rest }
                NotificationDelivery.commits.record(ContinuousClock().now - began)
                try await work.releaseHeld(at: next)
                progress.advanced(partition, to: next, time: work.time)
            }
            reached.value = work.machine.position(at: batch.nextOffset)
            progress.advanced(partition, to: batch.nextOffset, time: nil)
        }
    }

    /// The committed offset; the start of the partition where nothing was ever committed.
    /// - Throws: `StageRefusal` when the state and its offset were lost apart, or entries were before they were read.
    private func start(_ session: any LogStateSession) async throws -> Int64 {
        let hasState = session.initialState[PartitionDelivery.positionsKey] != nil
        let state = TopicPartition(layout.deliveryState, partition.partition)
        if let committed = session.initialOffset {
            guard hasState || committed == 0 else {
                throw StageRefusal(
                    "\(partition) is committed up to offset \(committed) and \(state) has no state that belongs to it: the state was lost, and going on would forget all devices; 'fanfare repair --rebuild delivery' mends it"
                )
            }
            return committed
        }
        guard session.initialState.isEmpty else {
            throw StageRefusal(
                "\(state) has a state and no offset of \(partition) is committed with it: the offset was lost, and going on would repeat or leave out notifications; 'fanfare repair --rebuild delivery' mends it"
            )
        }
        let bounds = try await log.bounds(of: [partition])[partition] ?? OffsetBounds(start: 0, end: 0)
        guard bounds.start == 0 else {
            throw StageRefusal(
                "\(partition) begins at offset \(bounds.start) and neither \(state) nor a committed offset says what became of the entries before; 'fanfare repair --rebuild delivery' mends it"
            )
        }
        return 0
    }

    /// Says once that nobody writes to the partition, and waits until it is taken away.
    private func leaveAlone() async throws {
        let refusal = StageRefusal(
            "\(partition) was added to its topic, and keys are dealt to the first \(layout.partitions): nothing is read from it; the number of partitions is fixed when topics are made"
        )
        progress.refused(partition, refusal)
        Log.error("deliver.partition.foreign", ["partition": "\(partition)", "error": "\(refusal)"])
        while true { try await Time.sleep(for: .seconds(3600)) }
    }

    private func report(_ unreadable: [(user: String, reason: String)]) {
        NotificationDelivery.unreadableUsers.increment(by: unreadable.count)
        for (user, reason) in unreadable {
            Log.error("delivery.state.unreadable", ["partition": "\(partition)", "user": user, "error": reason])
        }
    }
}
