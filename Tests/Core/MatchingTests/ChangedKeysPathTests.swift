import CloudModel
import TestSupport
import Testing

@testable import Matching

/// Subscriptions that ask for nothing but that a field changed are found by that field.
@Suite struct ChangedKeysPathTests {
    private static let fields = 50

    private func subscription(_ number: Int) -> Subscription {
        Subscription(
            key: SubscriptionKey(user: Fixtures.alice, database: .public, id: SubscriptionID(trusted: "s\(number)")),
            condition: Subscription.Condition(
                query: Query(recordType: RecordType(trusted: "Artwork"), filters: []), zone: nil,
                firesOn: [.create, .update], firesOnce: false,
                changedKeys: [FieldName(trusted: "f\(number % Self.fields)"), FieldName(trusted: "f0")]),
            notificationInfo: NotificationInfo())
    }

    private func change(_ before: [String: FieldValue]?, _ after: [String: FieldValue]) -> Change {
        Change(
            sequence: CommitSequence(1), lastSubscription: .zero, database: .public,
            kind: before == nil ? .created : .updated, before: before.map { Fixtures.record($0) },
            after: Fixtures.record(after), committed: Timestamp(milliseconds: 1),
            origin: Origin(user: Fixtures.bob, device: nil, epoch: nil))
    }

    private func entriesMet(_ index: borrowing SubscriptionIndex) -> Int {
        (1..<index.buckets.count).reduce(0) { $0 + Int(index.buckets[$1].hits) * Int(index.buckets[$1].count) }
    }

    @Test func anUpdateHitsSubscriptionsOfItsField() {
        var index = SubscriptionIndex()
        for number in 0..<1000 { index.insert(subscription(number), id: number) }
        let found = index.matches(of: change(["f7": .int64(1), "f8": .int64(1)], ["f7": .int64(2), "f8": .int64(1)]))
        #expect(found == stride(from: 7, to: 1000, by: Self.fields).map { $0 })
        #expect(entriesMet(index) == 20, "and nobody else")
        #expect(index.matches(of: change(["f7": .int64(1)], ["f7": .int64(1)])).isEmpty)
        #expect(entriesMet(index) == 20)
        // One field more, or one less, is a change; each is found once, by whichever field.
        #expect(index.matches(of: change([:], ["f0": .int64(1), "f9": .int64(1)])).count == 1000)
        #expect(index.matches(of: change(nil, ["f7": .int64(2)])).count == 1000, "what is made was not there before")
        for number in 0..<1000 { index.remove(id: number) }
        let isVacant = index.isVacant
        #expect(isVacant)
    }
}
