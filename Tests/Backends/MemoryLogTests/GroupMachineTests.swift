import EventLog
import MemoryLog
import TestSupport
import Testing

@Suite struct GroupMachineTests {
    /// Random joins, leaves and releases: no partition has two owners, and once all have released what they were asked
    /// for, everything is owned and shares differ by one at most.
    @Test(arguments: 1...50)
    func partitionsAreNeverOwnedTwiceAndAlwaysShared(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let partitions = (0..<Int32(12)).map { TopicPartition(TopicName("t"), $0) }
        var machine = GroupMachine()
        var owned: [Int: Set<TopicPartition>] = [:]
        var asked: [(member: Int, partitions: [TopicPartition])] = []
        func take(_ notices: [GroupMachine.Notice]) {
            for notice in notices {
                switch notice.event {
                case .assigned(let gained):
                    for other in owned.values { #expect(other.isDisjoint(with: gained), "seed \(seed)") }
                    owned[notice.member]?.formUnion(gained)
                case .revoked(let lost): asked.append((notice.member, lost))
                case .lost: Issue.record("no member is lost here")
                }
            }
        }
        for step in 0..<60 {
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where owned.count < 20:
                owned[step] = []
                take(machine.joined(step, partitions: partitions))
            case 1 where owned.count > 1:
                let member = owned.keys.sorted().randomElement(using: &random)!
                owned[member] = nil
                asked.removeAll { $0.member == member }
                take(machine.left(member))
            default:
                guard !asked.isEmpty else { continue }
                let (member, given) = asked.removeFirst()
                owned[member]?.subtract(given)
                take(machine.released(member, given))
            }
        }
        while !asked.isEmpty {
            let (member, given) = asked.removeFirst()
            owned[member]?.subtract(given)
            take(machine.released(member, given))
        }
        guard !owned.isEmpty else { return }
        let counts = owned.values.map(\.count)
        #expect(counts.reduce(0, +) == 12, "seed \(seed)")
        #expect(counts.max()! - counts.min()! <= 1, "seed \(seed): \(counts)")
    }
}
