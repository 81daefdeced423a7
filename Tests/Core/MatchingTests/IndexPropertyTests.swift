import CloudModel
import Foundation
import TestSupport
import Testing

@testable import Matching

/// The index finds what the walk over all subscriptions finds, after any insertions and removals.
@Suite struct IndexPropertyTests {
    /// (Predicate, record) pairs to compare; `make property` asks for more.
    private static let pairs =
        ProcessInfo.processInfo.environment["FANFARE_PROPERTY_COUNT"].flatMap { Int($0) } ?? 100_000
    private static let firstSeed =
        ProcessInfo.processInfo.environment["FANFARE_PROPERTY_SEED"].flatMap { UInt64($0) } ?? 1

    @Test func theIndexAgreesWithTheReferenceWhileSubscriptionsComeAndGo() {
        var seed = Self.firstSeed
        var compared = 0
        while compared < Self.pairs {
            compared += Self.compare(seed: seed, step: 400)
            seed += 1
        }
        print("index = reference: \(compared) pairs, seeds \(Self.firstSeed) to \(seed - 1)")
    }

    /// Compares through so many steps; how many pairs of predicate and record came together.
    private static func compare(seed: UInt64, step steps: Int) -> Int {
        var random = RandomSubscriptions(random: SeededGenerator(seed: seed))
        var index = SubscriptionIndex()
        var reference = ReferenceMatcher()
        var live: [Int: Subscription] = [:]
        var compared = 0
        for step in 0..<steps {
            switch random.below(5) {
            case 0, 1, 2:
                let id = random.below(60)
                let subscription = random.subscription(step)
                live[id] = subscription
                index.insert(subscription, id: id)
                reference.insert(subscription, id: id)
            case 3 where random.below(3) == 0:
                let id = random.below(60)
                live[id] = nil
                index.remove(id: id)
                reference.remove(id: id)
            case 3 where random.below(3) == 0:
                // As if the tenancies had seen much; wherever one stands, it is found.
                for id in index.crowded(limit: 20, entriesPerEvent: 0, eventsMin: 1) {
                    if let subscription = live[id] { index.insert(subscription, id: id) }
                }
            case 3 where random.below(8) == 0:
                throughImage(&index, live)
            default:
                let change = random.change(step)
                let found = index.matches(of: change)
                let expected = reference.matches(of: change)
                compared += live.count
                if found != expected {
                    let wrong = Set(found).symmetricDifference(expected).sorted().first
                    Issue.record(
                        "seed \(seed), step \(step): the index finds \(found), the reference \(expected); \(wrong.flatMap { live[$0]?.condition }.map { "\($0)" } ?? "twice") on \(change)"
                    )
                    return compared
                }
            }
        }
        #expect(index.count == reference.count, "seed \(seed)")
        for id in 0..<60 { index.remove(id: id) }
        #expect(index.count == 0 && index.isVacant, "seed \(seed): something was left behind")
        return compared
    }

    /// Writes the index and continues with the one that is read.
    private static func throughImage(_ index: inout SubscriptionIndex, _ live: [Int: Subscription]) {
        let coding = IndexImageTests.coding()
        do {
            index = try SubscriptionIndex(index.image(coding), coding)
        } catch {
            Issue.record(error)
        }
        for (id, subscription) in live where !index.contains(id: id) { index.insert(subscription, id: id) }
    }
}
