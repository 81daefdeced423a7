import CloudModel
import Testing

@testable import Matching

/// What a subscription counts for in its owner's budget.
@Suite struct StandingCostTests {
    private static func cost(_ text: String, firesOn: FiringEvents = [.create], changedKeys: Int = 0) throws -> Int {
        let query = try QueryValidator.query(
            GivenQuery(
                recordType: RecordType(trusted: "T"), filters: [],
                predicate: GivenPredicate(
                    text: text,
                    arguments: text.contains("%@")
                        ? [.value(GivenValue(.location(Location(latitude: 1, longitude: 2)), isTypeExplicit: true))]
                        : [])),
            types: [
                FieldName(trusted: "n"): .int64, FieldName(trusted: "t"): .string, FieldName(trusted: "p"): .location,
            ], time: nil)
        return Subscription(
            key: SubscriptionKey(user: Fixtures.alice, database: .public, id: SubscriptionID(trusted: "s")),
            condition: Subscription.Condition(
                query: query, zone: nil, firesOn: firesOn, firesOnce: false,
                changedKeys: (0..<changedKeys).map { FieldName(trusted: "f\($0)") }),
            notificationInfo: NotificationInfo()
        ).standingCost
    }

    @Test(arguments: [
        ("n == 1", 1), ("n > 1", 1), ("n > 1 AND n < 5 AND t != 'x' AND t != 'y'", 1), ("TRUEPREDICATE", 1),
        ("t CONTAINS 'dog'", 2), ("t CONTAINS 'do'", 8), ("NOT t CONTAINS 'dog'", 8),
        ("NOT (n != 1 OR t CONTAINS 'a')", 2),
        ("n == 1 OR t CONTAINS 'do'", 9), ("n == 1 OR t CONTAINS 'dog'", 2), ("t LIKE '*a?b*'", 1208),
        ("t LIKE '*dog?b*'", 302), ("distanceToLocation:fromLocation:(p, %@) < 100", 12),
        ("distanceToLocation:fromLocation:(p, %@) < 9000000", 48), ("n != 1", 1), ("FALSEPREDICATE", 1),
    ]) func aFourthIfSelective(text: String, cost: Int) throws { #expect(try Self.cost(text) == cost) }

    @Test func looksAndChangedKeysCount() throws {
        #expect(try Self.cost("NOT t CONTAINS 'dog'", firesOn: [.enter]) == 16)
        #expect(try Self.cost("NOT t CONTAINS 'dog'", firesOn: [.update], changedKeys: 5) == 13)
    }

    /// A thousand ordinary subscriptions leave most of the budget.
    @Test func aThousandOrdinaryOnesFit() throws {
        for text in ["n == 1 AND t CONTAINS[cd] 'news'", "n > 5", "distanceToLocation:fromLocation:(p, %@) < 100"] {
            #expect(try 1000 * Self.cost(text) < Limits.predicateCostOfUserMax * 2 / 3)
        }
    }
}
