package import EventLog
import Synchronization
import Waiting

/// A member of a group on an embedded log.
package final class EmbeddedMembership: LogMembership {
    private let group: GroupName
    private let storage: any EmbeddedStorage
    private let groups: EmbeddedGroups
    private let member: GroupMachine.Member
    private let mailbox: Mailbox<MembershipEvent>
    private let followers = Mutex<[TopicPartition: EmbeddedFollower]>([:])

    /// Joins the group.
    package init(_ group: GroupName, partitions: [TopicPartition], storage: any EmbeddedStorage, groups: EmbeddedGroups)
    {
        self.group = group
        self.storage = storage
        self.groups = groups
        (member, mailbox) = groups.join(group, partitions: partitions)
    }

    package func next() async throws -> MembershipEvent { try await mailbox.take() }

    package func committed(_ partitions: [TopicPartition]) async throws -> [TopicPartition: LogPosition] {
        try await storage.positions(of: group, partitions)
    }

    package func start(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        let follower = EmbeddedFollower(partition, from: offset, storage: storage)
        followers.withLock { $0.updateValue(follower, forKey: partition) }?.close()
        return follower
    }

    package func commit(_ positions: [TopicPartition: LogPosition]) async throws {
        for partition in positions.keys where !groups.isOwner(member, of: partition, in: group) {
            throw LogError.fenced("\(partition) in the group \(group)")
        }
        try await storage.store(positions, of: group)
    }

    package func release(_ partitions: [TopicPartition]) async throws {
        stop(partitions)
        groups.release(member, partitions, of: group)
    }

    package func leave() async {
        stop(followers.withLock { Array($0.keys) })
        groups.leave(member, of: group)
    }

    private func stop(_ partitions: [TopicPartition]) {
        for partition in partitions { followers.withLock { $0.removeValue(forKey: partition) }?.close() }
    }
}
