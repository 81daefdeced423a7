import CloudModel
import Testing

@testable import Matching

/// The planner decides by the statistics that it is given alone.
@Suite struct CoverPlannerTests {
    /// Statistics in which each key of a slot has the same likelihood.
    private struct Fixed: CoverStatistics {
        var likelihoods: [Int: Double] = [:]
        var observed: [Int: Double] = [:]
        var hasRoom = true

        func observedLikelihood(_ facet: Facet, _ key: UInt32, in tenancy: UInt32) -> Double? { observed[facet.slot] }
        func likelihood(_ facet: Facet, _ key: UInt32, in tenancy: UInt32) -> Double {
            observed[facet.slot] ?? likelihoods[facet.slot] ?? CoverCosts.uncounted
        }
        func hasRoom(for facets: Facets, in tenancy: UInt32) -> Bool { hasRoom }
    }

    private static let planner = CoverPlanner(tenancy: 1)

    private func leaf(_ test: Instruction.Test, _ slot: UInt16, _ access: PredicateLeaf.Access) -> PredicateNode {
        .leaf(PredicateLeaf(instruction: Instruction(test, slot: slot), access: access), isNegated: false)
    }

    private func equals(_ slot: UInt16, _ operands: UInt32...) -> PredicateNode {
        leaf(.equals, slot, .equals(operands, .exact))
    }

    private func slots(_ cover: Cover?) -> [Int]? {
        cover?.keys.first.map { key in
            [key.facets.first, key.facets.second, key.facets.third].filter { !$0.isNone }.map(\.slot)
        }
    }

    @Test func theThreeRarestEqualitiesGoTogether() {
        let node = PredicateNode.all([equals(7, 1), equals(8, 2), equals(9, 3), equals(10, 4)])
        let cover = Self.planner.cover(node, Fixed(likelihoods: [7: 0.1, 8: 0.9, 9: 0.2, 10: 0.3]))
        #expect(slots(cover) == [7, 9, 10])
        #expect(cover?.implied == [0, 2, 3], "their tests need not be made")
        #expect(cover?.keys.count == 1 && cover?.keys.first?.keys.0 == 1)
    }

    @Test func withoutRoomForACombinationTheRarestTermIsChosen() {
        let node = PredicateNode.all([equals(7, 1), equals(8, 2)])
        let cover = Self.planner.cover(node, Fixed(likelihoods: [7: 0.2, 8: 0.1], hasRoom: false))
        #expect(slots(cover) == [8])
        #expect(cover?.implied == [1])
    }

    @Test func observedCountsReplaceTheEstimate() {
        let begins = leaf(.begins, 7, .begins(Array("abc".utf8), .exact))
        let above = leaf(.greater, 8, .interval(low: 5, high: nil, threshold: 5))
        let node = PredicateNode.all([begins, above])
        #expect(slots(Self.planner.cover(node, Fixed())) == [7])
        let crowded = Fixed(observed: [7: 0.95])
        #expect(slots(Self.planner.cover(node, crowded)) == [8])
    }

    @Test func aUnionCostsTheSumOfItsPartsAndNeedsAll() {
        let either = PredicateNode.any([equals(7, 1), equals(8, 2)])
        let cover = Self.planner.cover(either, Fixed(likelihoods: [7: 0.25, 8: 0.5]))
        #expect(cover?.cost == 0.75)
        #expect(cover?.isRepeated == true && cover?.keys.count == 2)
        let negated = PredicateNode.any([
            equals(7, 1),
            .leaf(PredicateLeaf(instruction: Instruction(.equals, slot: 8), access: .present), isNegated: true),
        ])
        let isFound = Self.planner.cover(negated, Fixed()) != nil
        #expect(!isFound, "a negated test is found by nothing")
    }

    @Test func anIntervalTouchesTwoCellsAtMost() {
        for (low, high) in [(0, 1), (5, 100_000), (-3, 3), (1 << 40, 1 << 40)] as [(Int64, Int64)] {
            let node = PredicateNode.all([
                leaf(.greaterOrEqual, 7, .interval(low: low, high: nil, threshold: Double(low))),
                leaf(.lessOrEqual, 7, .interval(low: nil, high: high, threshold: Double(high))),
            ])
            let cover = Self.planner.cover(node, Fixed())
            #expect((1...2).contains(cover?.keys.count ?? 0), "\(low) to \(high)")
            #expect(cover?.keys.first?.facets.first.kind == .cell)
        }
    }
}
