/// One entry of `subscriptions/modify`.
package enum SubscriptionOperation: Hashable, Sendable {
    case create(SubscriptionDraft)
    /// Only `notificationInfo` may change.
    case update(SubscriptionDraft)
    case delete(SubscriptionID)
    /// Saves nothing; answers what the subscription would have fired on.
    case test(SubscriptionDraft)
    /// An entry that could not be read; the error is its result.
    case unreadable(SubscriptionID?, CloudError)

    /// The ID that the operation names.
    package var id: SubscriptionID? {
        switch self {
        case .create(let draft), .update(let draft), .test(let draft): draft.id
        case .delete(let id): id
        case .unreadable(let id, _): id
        }
    }
}

/// What came of one operation or lookup.
package enum SubscriptionResult: Hashable, Sendable {
    case subscription(Subscription)
    case deleted(SubscriptionID)
    case tested(SubscriptionTest)
    case failed(SubscriptionID?, CloudError)
}

/// What a subscription that is not saved would have fired on.
package struct SubscriptionTest: Hashable, Sendable {
    /// The subscription as it would be saved; its ID is empty when the request gave none.
    package var subscription: Subscription
    /// What its predicate costs, of `Limits.predicateCostMax`.
    package var predicateCost: Int
    /// How many of the latest changes that the user may see were looked at.
    package var examined = 0
    /// How many of them were not looked at, because that would have been too much work: the oldest.
    package var leftOut = 0
    /// Those it would have fired on, in their order.
    package var matched: [Change] = []

    package init(subscription: Subscription, predicateCost: Int) {
        self.subscription = subscription
        self.predicateCost = predicateCost
    }
}
