import EventLog
import Synchronization
import Waiting

/// A member of a group, which the cluster may take for dead while it goes on.
final class SimulatedMembership: LogMembership {
    private let port: SimulatedPort
    private let group: GroupName
    private let number: Int
    private let mailbox: Mailbox<MembershipEvent>
    private let followers = Mutex<[TopicPartition: SimulatedFollower]>([:])

    init(_ port: SimulatedPort, _ group: GroupName, _ partitions: [TopicPartition]) {
        self.port = port
        self.group = group
        let (number, member) = port.log.join(group, partitions: partitions, life: port.life)
        self.number = number
        mailbox = member.mailbox
    }

    func next() async throws -> MembershipEvent {
        let event = try await mailbox.take()
        await Task.yield()
        Trace.add("\(group) \(number) \(event)")
        if case .lost(let partitions) = event { stop(partitions) }
        return event
    }

    func committed(_ partitions: [TopicPartition]) async throws -> [TopicPartition: LogPosition] {
        let fault = try await port.enter("committed")
        try await port.leave(fault)
        return port.log.contents.withLock { contents in
            var result: [TopicPartition: LogPosition] = [:]
            for partition in partitions {
                let known = contents.committed[group]?[partition] ?? []
                // An answer may be old, if there was an older one.
                result[partition] = fault == .isOld && known.count > 1 ? known[known.count - 2] : known.last
            }
            return result
        }
    }

    func start(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        try await port.leave(try await port.enter("start"))
        let follower = try SimulatedFollower(port, partition, from: offset)
        followers.withLock { $0.updateValue(follower, forKey: partition) }?.close()
        return follower
    }

    func commit(_ positions: [TopicPartition: LogPosition]) async throws {
        let fault = try await port.enter("commit")
        let isRefused =
            fault == .isAbsent && positions.count > 1
            || positions.keys.contains { !port.log.isOwner(number, of: $0, in: group) }
        // During a rebalance commits are refused whole; most partitions stay where they are.
        if isRefused, Mutation.dropKeptPositions.isOn { return }
        if isRefused { throw LogError.fenced("the group \(group) is being rebalanced") }
        port.log.contents.withLock { contents in
            for (partition, position) in positions {
                contents.committed[group, default: [:]][partition, default: []].append(position)
            }
        }
        try await port.leave(fault)
    }

    func release(_ partitions: [TopicPartition]) async throws {
        stop(partitions)
        try await port.leave(try await port.enter("release"))
        port.log.release(number, partitions, of: group)
    }

    func leave() async {
        stop(followers.withLock { $0.keys.sorted() })
        if !port.life.isDead { port.log.leave(number, of: group) }
    }

    private func stop(_ partitions: [TopicPartition]) {
        for partition in partitions { followers.withLock { $0.removeValue(forKey: partition) }?.close() }
    }
}
