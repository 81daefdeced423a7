import CloudModel
import TestSupport
import Testing

@testable import Matching

/// Data that differ from the expectations of subscriptions: many of these are filed under a value that most records
/// have.
@Suite struct AdaptationTests {
    private static let statuses = 20
    private static let count = 2_000

    private func subscription(_ number: Int) -> Subscription {
        let low = Int64(number * 10)
        let tree = Predicate.all([
            Fixtures.comparison("status", .equals(.string("s\(number % Self.statuses)"))),
            Fixtures.comparison("amount", .greaterThanOrEquals(.int64(low))),
            Fixtures.comparison("amount", .lessThan(.int64(low + 4000))),
        ])
        return Subscription(
            key: SubscriptionKey(user: Fixtures.alice, database: .public, id: SubscriptionID(trusted: "s\(number)")),
            condition: Subscription.Condition(
                query: Query(
                    recordType: RecordType(trusted: "Artwork"), filters: [],
                    written: WrittenPredicate(text: "", argumentsJSON: nil, tree: tree)),
                zone: nil, firesOn: .create, firesOnce: false),
            notificationInfo: NotificationInfo())
    }

    private func change(_ random: inout SeededGenerator) -> Change {
        let status = Int.random(in: 0..<10, using: &random) == 0 ? Int.random(in: 0..<20, using: &random) : 0
        let record = Fixtures.record([
            "status": .string("s\(status)"), "amount": .int64(Int64.random(in: 0..<20_000, using: &random)),
        ])
        return Change(
            sequence: CommitSequence(1), lastSubscription: .zero, database: .public, kind: .created, before: nil,
            after: record, committed: Timestamp(milliseconds: 1),
            origin: Origin(user: Fixtures.bob, device: nil, epoch: nil))
    }

    /// Entries that all events have met, by the looks that buckets have counted.
    private func entriesMet(_ index: borrowing SubscriptionIndex) -> Int {
        var entries = 0
        for number in index.buckets.numbers {
            entries += Int(index.buckets[number].hits) * Int(index.buckets[number].count)
        }
        return entries
    }

    @Test func crowdedPlacesAreLeftForBetterOnes() {
        var random = SeededGenerator(seed: 9)
        var index = SubscriptionIndex()
        var reference = ReferenceMatcher()
        for number in 0..<Self.count {
            index.insert(subscription(number), id: number)
            reference.insert(subscription(number), id: number)
        }
        func pass(_ events: Int) -> Double {
            let before = entriesMet(index)
            for event in 0..<events {
                let change = change(&random)
                let found = index.matches(of: change)
                if event.isMultiple(of: 50) { #expect(found == reference.matches(of: change)) }
            }
            return Double(entriesMet(index) - before) / Double(events)
        }
        let before = pass(400)
        var moved = 0
        for _ in 0..<20 {
            let ids = index.crowded(limit: 50, entriesPerEvent: 4)
            for id in ids { index.insert(subscription(id), id: id) }
            moved += ids.count
            _ = pass(300)
        }
        let after = pass(400)
        #expect(after < before / 2, "\(before) entries an event before, \(after) after \(moved) were filed again")
        #expect(index.count == Self.count)
    }

    /// Where there is nothing better, nobody is asked again and again.
    @Test func subscriptionsWithoutABetterPlaceHitOnce() {
        var random = SeededGenerator(seed: 9)
        var index = SubscriptionIndex()
        func only(_ number: Int) -> Subscription {
            var subscription = subscription(number)
            subscription.condition.query.written?.tree = Fixtures.comparison("status", .equals(.string("s0")))
            return subscription
        }
        for number in 0..<100 { index.insert(only(number), id: number) }
        var hits = 0
        for _ in 0..<10 {
            for _ in 0..<600 { _ = index.matches(of: change(&random)) }
            let ids = index.crowded(limit: 30)
            for id in ids { index.insert(only(id), id: id) }
            hits += ids.count
        }
        #expect(hits == 100, "each once")
    }
}
