import EventLog
import Synchronization
import Waiting

/// The groups of an embedded log: all members live in this process.
package final class EmbeddedGroups: Sendable {
    private struct State {
        var machines: [GroupName: GroupMachine] = [:]
        var mailboxes: [GroupMachine.Member: Mailbox<MembershipEvent>] = [:]
        var nextMember = 1
    }

    private let state = Mutex(State())

    package init() {}

    func join(_ group: GroupName, partitions: [TopicPartition]) -> (GroupMachine.Member, Mailbox<MembershipEvent>) {
        state.withLock { state in
            let member = state.nextMember
            state.nextMember += 1
            let mailbox = Mailbox<MembershipEvent>()
            state.mailboxes[member] = mailbox
            deliver(state.machines[group, default: GroupMachine()].joined(member, partitions: partitions), &state)
            return (member, mailbox)
        }
    }

    func release(_ member: GroupMachine.Member, _ partitions: [TopicPartition], of group: GroupName) {
        state.withLock { state in
            let notices = state.machines[group]?.released(member, partitions) ?? []
            deliver(notices, &state)
        }
    }

    func leave(_ member: GroupMachine.Member, of group: GroupName) {
        state.withLock { state in
            state.mailboxes.removeValue(forKey: member)?.end(LogError.closed)
            let notices = state.machines[group]?.left(member) ?? []
            if state.machines[group]?.isEmpty == true { state.machines[group] = nil }
            deliver(notices, &state)
        }
    }

    func isOwner(_ member: GroupMachine.Member, of partition: TopicPartition, in group: GroupName) -> Bool {
        state.withLock { $0.machines[group]?.isOwner(member, of: partition) ?? false }
    }

    /// Ends all memberships.
    package func close() {
        state.withLock { state in
            for mailbox in state.mailboxes.values { mailbox.end(LogError.closed) }
            state = State(nextMember: state.nextMember)
        }
    }

    private func deliver(_ notices: [GroupMachine.Notice], _ state: inout State) {
        for notice in notices { state.mailboxes[notice.member]?.put(notice.event) }
    }
}
