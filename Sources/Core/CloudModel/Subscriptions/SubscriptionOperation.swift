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

/// The result of one operation on a subscription, or of one lookup.
package enum SubscriptionResult: Hashable, Sendable {
    case subscription(Subscription)
    case deleted(SubscriptionID)
    case tested(SubscriptionTest)
    case failed(SubscriptionID?, CloudError)
}

/// The changes that a subscription that is not saved would have fired on.
package struct SubscriptionTest: Hashable, Sendable {
    /// The subscription as it would be saved; its ID is empty when the request gave none.
    package var subscription: Subscription
    /// The cost of its predicate, of `Limits.predicateCostMax`.
    package var predicateCost: Int
    /// The number of the latest changes, of those that the user may see, that were looked at.
    package var examined = 0
    /// The number of them that were not looked at, because that would have been too much work: the oldest.
    package var leftOut = 0
    /// The changes it would have fired on, in their order.
    package var matched: [Change] = []

    package init(subscription: Subscription, predicateCost: Int) {
        self.subscription = subscription
        self.predicateCost = predicateCost
    }
}
