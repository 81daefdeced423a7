import EventLog
import MemoryLog
import Synchronization
import Waiting

/// A cluster of brokers that fails as a history wants it to. It does each thing in small steps, between which others go
/// on: two appends mix, a take-over fences long before it reads.
///
/// Processes reach it through a `SimulatedPort` each.
final class SimulatedLog: Sendable {
    struct Member: Sendable {
        var group: GroupName
        var mailbox: Mailbox<MembershipEvent>
        var partitions: [TopicPartition]
        var life: Life
    }

    private struct Groups {
        var machines: [GroupName: GroupMachine] = [:]
        var members: [Int: Member] = [:]
        var last = 0
    }

    let contents = Mutex(SimulatedContents())
    let plan: FaultPlan
    let bell = Bell<TopicPartition>()
    private let groups = Mutex(Groups())
    private let power = Mutex((cuts: 0, awayUntil: Duration.zero))

    init(plan: FaultPlan) { self.plan = plan }

    // MARK: Topics

    func create(_ specification: TopicSpecification) -> TopicCreation {
        contents.withLock { $0.create(specification) }
    }

    func delete(_ name: TopicName) {
        let topic = contents.withLock { $0.topics.removeValue(forKey: name) }
        for number in topic?.partitions.indices ?? 0..<0 { bell.ring(TopicPartition(name, Int32(number))) }
    }

    /// Deletes and recreates a topic.
    func remake(_ name: TopicName) {
        guard let specification = contents.withLock({ $0.topics[name]?.specification }) else { return }
        delete(name)
        _ = create(specification)
        Trace.add("\(name) is recreated")
    }

    /// Lets a partition's old leader answer for a while: it has neither new entries nor the last ones.
    func hideEntries(of partition: TopicPartition, last count: Int64, for time: Duration) {
        let isHidden = contents.withLock { contents in
            guard let held = try? contents.partition(partition) else { return false }
            let end = max(held.start, held.end - count)
            return (try? contents.change(partition) { if $0.oldEnd == nil { $0.oldEnd = end } }) != nil
        }
        guard isHidden else { return }
        Task {
            await Scheduler.shared.pass(time)
            showEntries(of: partition)
        }
    }

    /// All brokers lose power for a while.
    func cutPower(for time: Duration) {
        power.withLock { $0 = ($0.cuts + 1, Scheduler.shared.time + time) }
    }

    /// Indicates whether no broker answers.
    var isAway: Bool { power.withLock { Scheduler.shared.time < $0.awayUntil } }

    /// The power cuts so far.
    var cuts: Int { power.withLock { $0.cuts } }

    /// Has a partition lose its last entries, as far as they are younger than the time in which brokers write to their
    /// disks.
    /// - Returns: the number of lost entries.
    func loseTail(of partition: TopicPartition, _ count: Int, youngerThan age: Duration) -> Int {
        let first = (Scheduler.shared.time - age).components.seconds * 1000
        let lost = contents.withLock { contents -> Int in
            var lost = 0
            try? contents.change(partition) { partition in
                let young = partition.entries.reversed().prefix { $0.appended.milliseconds > first }.count
                lost = min(count, young)
                partition.entries.removeLast(lost)
                partition.end -= Int64(lost)
                if let old = partition.oldEnd { partition.oldEnd = min(old, partition.end) }
            }
            return lost
        }
        bell.ring(partition)
        return lost
    }

    /// All leaders know everything.
    func heal() {
        let all = contents.withLock { contents in
            contents.topics.flatMap { name, topic in
                topic.partitions.indices.map { TopicPartition(name, Int32($0)) }
            }.sorted()
        }
        for partition in all { showEntries(of: partition) }
    }

    private func showEntries(of partition: TopicPartition) {
        contents.withLock { contents in try? contents.change(partition) { $0.oldEnd = nil } }
        bell.ring(partition)
    }

    // MARK: Groups

    func join(_ group: GroupName, partitions: [TopicPartition], life: Life) -> (number: Int, member: Member) {
        let member = Member(group: group, mailbox: Mailbox(), partitions: partitions, life: life)
        return (join(member), member)
    }

    private func join(_ member: Member) -> Int {
        groups.withLock { groups in
            groups.last += 1
            groups.members[groups.last] = member
            deliver(
                groups.machines[member.group, default: GroupMachine()].joined(
                    groups.last, partitions: member.partitions), &groups)
            return groups.last
        }
    }

    func isOwner(_ number: Int, of partition: TopicPartition, in group: GroupName) -> Bool {
        groups.withLock { $0.machines[group]?.isOwner(number, of: partition) ?? false }
    }

    func release(_ number: Int, _ partitions: [TopicPartition], of group: GroupName) {
        groups.withLock { groups in
            let notices = groups.machines[group]?.released(number, partitions) ?? []
            deliver(notices, &groups)
        }
    }

    func leave(_ number: Int, of group: GroupName) {
        groups.withLock { groups in
            groups.members.removeValue(forKey: number)?.mailbox.end(LogError.closed)
            remove(number, of: group, &groups)
        }
    }

    /// Takes a member for dead: others get what it had.
    /// - Returns: what it had.
    func expire(_ number: Int) -> (member: Member, lost: [TopicPartition])? {
        groups.withLock { groups in
            guard let member = groups.members.removeValue(forKey: number) else { return nil }
            let lost = member.partitions.filter {
                groups.machines[member.group]?.isOwner(number, of: $0) ?? false
            }
            remove(number, of: member.group, &groups)
            return (member, lost)
        }
    }

    /// The members that processes have, by number.
    var members: [(number: Int, member: Member)] {
        groups.withLock { groups in groups.members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    private func remove(_ number: Int, of group: GroupName, _ groups: inout Groups) {
        let notices = groups.machines[group]?.left(number) ?? []
        if groups.machines[group]?.isEmpty == true { groups.machines[group] = nil }
        deliver(notices, &groups)
    }

    private func deliver(_ notices: [GroupMachine.Notice], _ groups: inout Groups) {
        for notice in notices { groups.members[notice.member]?.mailbox.put(notice.event) }
    }
}
