import CloudMessages
import CloudModel
import Continuity
import EventLog
import Poison
import ProtocolBuffers
import Stages
import Telemetry
import Timing
import Waiting

/// The work of stage 3 on one partition of `journals`: takes its state over, which fences the former owner, and
/// continues from there.
struct PartitionCopier: Sendable {
    let log: any EventLog
    let layout: TopicLayout
    let poison: PoisonLedger?
    let partition: TopicPartition
    let membership: any LogMembership
    let progress: StageProgress
    let doubts: TailDoubts

    /// Batches of entries from before that are copied for each new one.
    private static let earlierBatches = 4
    /// The pause between looks while topics are to be made or deleted later.
    private static let lookPause = Duration.seconds(1)

    /// Copies until the partition is taken away, or fails.
    func run() async throws {
        // Stage 2 reports partitions that were added to topics: keys are dealt to the first ones alone.
        while partition.partition >= layout.partitions { try await Time.sleep(for: .seconds(3600)) }
        let claim = StateClaim(
            input: partition, group: layout.feedTopicsGroup,
            state: TopicPartition(layout.feedState, partition.partition))
        let session = try await log.takeOver(claim)
        try await Task.closing({ await session.close() }) {
            try await log.withWriter { writer in try await run(session, writer) }
        }
    }

    private func run(_ session: any LogStateSession, _ writer: any LogWriter) async throws {
        let committed = try await committed(session)
        let devices = committed == nil ? try await devices() : [:]
        let (position, follower, lost) = try await log.follow(partition, from: committed) {
            try await membership.start(partition, from: $0)
        }
        lost?.report(by: .feeds)
        var machine = try PartitionTopics(
            layout: layout, state: committed == nil ? [:] : session.initialState, at: position)
        let committer = StateCommitter(session)
        let reached = ReachedPosition(position)
        let start = try await log.bounds(of: [partition])[partition]?.start ?? 0
        var step = machine.forgetRemovals(before: start)
        if committed == nil {
            step = machine.begin(with: devices)
            for key in session.initialState.keys where step.changes[key] == nil { step.changes[key] = .some(nil) }
        }
        if !step.changes.isEmpty { committer.note(step.changes, offset: position.offset, at: step.time) }
        let work = CopyWork(
            log: log, partition: partition, poison: poison, committer: committer, writer: writer, machine: machine)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await committer.run() }
            group.addTask { try await doubts.compare(partition) { reached.value } }
            group.addTask { try await copy(follower, work, reached) }
            try await group.next()
        }
    }

    private func copy(
        _ follower: any LogFollower, _ work: CopyWork, _ reached: ReachedPosition
    ) async throws {
        var work = work
        defer { work.close() }
        while true {
            try await work.deleteTopics()
            var batches = 0
            while try await work.copyEarlier() {
                batches += 1
                guard batches % Self.earlierBatches == 0 else { continue }
                if try await work.hasNews { break }
            }
            if work.hasLater, try await !work.hasNews {
                try await Time.sleep(for: Self.lookPause)
                continue
            }
            let batch = try await follower.next()
            let began = Time.now
            try await work.copy(batch)
            if !batch.entries.isEmpty { FeedTopics.steps.record(Time.now - began) }
            reached.value = work.machine.position
            progress.advanced(partition, to: batch.nextOffset, time: batch.entries.last?.timestamp)
        }
    }

    /// The position of the state; nil where there is none of use: then all topics are made again. Nobody knows what
    /// topics have where the state cannot be read, or what they lack where entries behind it are not retained.
    private func committed(_ session: any LogStateSession) async throws -> LogPosition? {
        let state = session.initialState
        guard let position = try? PartitionTopics.position(of: state, at: session.initialOffset),
            (try? PartitionTopics(layout: layout, state: state, at: position)) != nil
        else { return nil }
        let start = try await log.bounds(of: [partition])[partition]?.start ?? 0
        guard position.offset < start, position.isOf(try await log.incarnation(of: partition.topic)) else {
            return position
        }
        Log.error(
            "feeds.overtaken", ["partition": "\(partition)", "from": position.offset, "start": start])
        return nil
    }

    /// The devices of the partition's users, as stage 2 knows them: `journals` may not keep their registrations.
    private func devices() async throws -> [UserRecordName: [DeviceTopic.Life]] {
        let states = try await log.lastValues(of: TopicPartition(layout.deliveryState, partition.partition))
        var devices: [UserRecordName: [DeviceTopic.Life]] = [:]
        for (key, value) in states where key.first != UInt8(ascii: "#") {
            // Stage 2 sets a user aside whose state it cannot read.
            guard let state = try? UserState(decoding: value), !state.devices.isEmpty else { continue }
            devices[UserRecordName(key: key)] = state.devices.map {
                DeviceTopic.Life(device: DeviceID(trusted: $0.device), epoch: DeviceEpoch($0.epoch))
            }
        }
        return devices
    }
}
