package import EventLog

/// The owners of a group's partitions: a pure machine that balances them and moves as few as it can.
///
/// A partition that is to move is first revoked from its owner and assigned to the next one only once it was released.
package struct GroupMachine {
    /// Identifies a member.
    package typealias Member = Int

    /// An event that the driver passes to a member.
    package typealias Notice = (member: Member, event: MembershipEvent)

    private struct Holding {
        var owner: Member?
        /// True if the owner has been asked to give it back.
        var isRevoking = false
    }

    private var members: [Member: Set<TopicPartition>] = [:]
    private var holdings: [TopicPartition: Holding] = [:]

    package init() {}

    /// True if the group has no member.
    package var isEmpty: Bool { members.isEmpty }

    /// Returns true if a member owns a partition; it does until it has given it back.
    package func isOwner(_ member: Member, of partition: TopicPartition) -> Bool {
        holdings[partition]?.owner == member
    }

    /// A member joins that can take any of these partitions.
    package mutating func joined(_ member: Member, partitions: [TopicPartition]) -> [Notice] {
        members[member] = Set(partitions)
        for partition in partitions where holdings[partition] == nil { holdings[partition] = Holding() }
        return balance()
    }

    /// A member leaves; what it had is free at once.
    package mutating func left(_ member: Member) -> [Notice] {
        members[member] = nil
        for (partition, holding) in holdings where holding.owner == member { holdings[partition] = Holding() }
        return balance()
    }

    /// A member gives partitions back.
    package mutating func released(_ member: Member, _ partitions: [TopicPartition]) -> [Notice] {
        for partition in partitions where holdings[partition]?.owner == member { holdings[partition] = Holding() }
        return balance()
    }

    /// Revokes partitions of members with more than their share and assigns free ones.
    private mutating func balance() -> [Notice] {
        guard !members.isEmpty else { return [] }
        var notices: [Notice] = []
        let target = targetOwners()
        for member in members.keys.sorted() {
            let surplus = holdings.filter { partition, holding in
                holding.owner == member && !holding.isRevoking && target[partition] != member
            }.keys.sorted()
            for partition in surplus { holdings[partition]?.isRevoking = true }
            if !surplus.isEmpty { notices.append((member, .revoked(surplus))) }
            let gained = holdings.filter { $0.value.owner == nil && target[$0.key] == member }.keys.sorted()
            for partition in gained { holdings[partition] = Holding(owner: member) }
            if !gained.isEmpty { notices.append((member, .assigned(gained))) }
        }
        return notices
    }

    /// Returns the member that should own each partition: its owner while that one has no more than a fair share (one
    /// more for as many members as there are partitions over), else the member that has least.
    private func targetOwners() -> [TopicPartition: Member] {
        var target: [TopicPartition: Member] = [:]
        var counts = members.mapValues { _ in 0 }
        let partitions = holdings.keys.sorted()
        let share = partitions.count / members.count
        var larger = partitions.count % members.count
        for partition in partitions {
            guard let holding = holdings[partition], let owner = holding.owner, !holding.isRevoking,
                let count = counts[owner], count < share || (count == share && larger > 0)
            else { continue }
            if count == share { larger -= 1 }
            target[partition] = owner
            counts[owner] = count + 1
        }
        for partition in partitions where target[partition] == nil {
            let candidates = members.filter { $0.value.contains(partition) }.keys
            guard let least = candidates.min(by: { (counts[$0, default: 0], $0) < (counts[$1, default: 0], $1) })
            else { continue }
            target[partition] = least
            counts[least, default: 0] += 1
        }
        return target
    }
}
