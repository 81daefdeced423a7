import CloudModel
import TestSupport
import Testing

@testable import NotificationDelivery

@Suite struct SequenceSetTests {
    /// Random insertions and removals, held against a set; the stored form brings the same back, and ranges are as few
    /// as they can be.
    @Test(arguments: 1...60)
    func behavesLikeASetOfNumbers(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var set = SequenceSet()
        var model: Set<Int64> = []
        let span = Int64.random(in: 5...60, using: &random)
        for _ in 0..<150 {
            let value = Int64.random(in: 1...span, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                set.remove(through: CommitSequence(value))
                model = model.filter { $0 > value }
            case 1 where Bool.random(using: &random):
                let lowest = Self.ranges(model).first
                set.removeLowest(1)
                model = model.filter { value in lowest?.contains(value) != true }
            default:
                let isNew = model.insert(value).inserted
                #expect(set.insert(CommitSequence(value)) == isNew, "seed \(seed): \(value)")
            }
            for value in 0...(span + 1) {
                #expect(set.contains(CommitSequence(value)) == model.contains(value), "seed \(seed): \(value)")
            }
            #expect(set.ranges == Self.ranges(model), "seed \(seed)")
            #expect(SequenceSet(distances: set.distances) == set, "seed \(seed)")
        }
    }

    @Test func aLongRunCostsNoMoreThanOneRange() {
        var set = SequenceSet()
        for value in (1...5000).reversed() { _ = set.insert(CommitSequence(Int64(value))) }
        #expect(set.ranges == [1...5000])
        #expect(set.distances == [1, 4999])
        set.removeLowest(5)
        #expect(set.ranges.isEmpty && set.distances.isEmpty)
    }

    /// Stored bytes that no version of ours wrote are read as far as they make sense; nothing ends the process.
    @Test(
        arguments: [
            [], [5], [5, 0, 3], [0, 0], [UInt64.max, 1], [1, UInt64.max], [5, 1, 0, 1],
            [UInt64(Int64.max), UInt64(Int64.max)], [UInt64(1) << 63, UInt64.max], [UInt64(1) << 63, 1 << 62],
        ] as [[UInt64]])
    func nonsenseDoesNoHarm(distances: [UInt64]) {
        let set = SequenceSet(distances: distances)
        #expect(set.ranges.count <= 1)
        #expect(SequenceSet(distances: set.distances) == set)
    }

    private static func ranges(_ model: Set<Int64>) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for value in model.sorted() {
            if let last = ranges.last, last.upperBound == value - 1 {
                ranges[ranges.count - 1] = last.lowerBound...value
            } else {
                ranges.append(value...value)
            }
        }
        return ranges
    }
}
