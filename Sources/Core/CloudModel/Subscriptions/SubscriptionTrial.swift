/// The extent of a test of a subscription, and what it is to answer beside the changes that fire.
package struct SubscriptionTrial: Hashable, Sendable {
    /// A record whose outcome is asked.
    package struct Subject: Hashable, Sendable {
        package var name: RecordName
        package var zone: GivenZone

        package init(name: RecordName, zone: GivenZone) {
            self.name = name
            self.zone = zone
        }
    }

    /// The latest changes that are looked at, at most: 1 to `Limits.testChangesMax`.
    package var changesMax = Limits.testChangesMax
    /// True to check the subscription alone, and to look at no changes.
    package var isParseOnly = false
    /// True to find changes on which it would have fired but for one comparison.
    package var findsNear = false
    /// A record for which the nodes of the predicate are answered; nil for none.
    package var subject: Subject?

    package init() {}
}

/// The changes that a subscription that is not saved would have fired on.
package struct SubscriptionTest: Hashable, Sendable {
    /// A change on which the subscription would have fired if one comparison had another outcome.
    package struct NearMiss: Hashable, Sendable {
        package var change: Change
        package var comparison: Predicate.Comparison

        package init(change: Change, comparison: Predicate.Comparison) {
            self.change = change
            self.comparison = comparison
        }
    }

    /// An index that finds the records of the predicate by itself.
    package struct UsedIndex: Hashable, Sendable {
        package var field: FilterField
        /// One of QUERYABLE, SORTABLE and SEARCHABLE.
        package var index: FieldIndexes

        package init(field: FilterField, index: FieldIndexes) {
            self.field = field
            self.index = index
        }
    }

    /// The outcome of the predicate for one record.
    package enum Subject: Hashable, Sendable {
        case traced(Record, PredicateOutcome)
        case failed(RecordName, CloudError)
    }

    /// The subscription as it would be saved; its ID is empty when the request gave none.
    package var subscription: Subscription
    /// The cost of its predicate, of `Limits.predicateCostMax`.
    package var predicateCost: Int
    /// The extent of the test.
    package var trial = SubscriptionTrial()
    /// The indexes that a query with the predicate can begin with; none where it walks over all records of the type.
    package var indexes: [UsedIndex] = []
    /// The number of the latest changes, of those that the user may see, that were looked at.
    package var examined = 0
    /// The number of them that were not looked at, because that would have been too much work: the oldest.
    package var leftOut = 0
    /// The changes it would have fired on, in their order.
    package var matched: [Change] = []
    /// The changes it would have fired on but for one comparison, in their order; empty unless they are asked for.
    package var near: [NearMiss] = []
    /// The outcome for the record that the test names.
    package var subject: Subject?

    package init(subscription: Subscription, predicateCost: Int) {
        self.subscription = subscription
        self.predicateCost = predicateCost
    }
}
