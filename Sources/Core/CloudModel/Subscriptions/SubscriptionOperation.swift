/// One entry of `subscriptions/modify`.
package enum SubscriptionOperation: Hashable, Sendable {
    case create(SubscriptionDraft)
    /// Only `notificationInfo` may change.
    case update(SubscriptionDraft)
    case delete(SubscriptionID)
    /// Saves nothing; answers what the subscription would have fired on.
    case test(SubscriptionDraft, SubscriptionTrial = SubscriptionTrial())
    /// An entry that could not be read; the error is its result.
    case unreadable(SubscriptionID?, CloudError)

    /// The ID that the operation names.
    package var id: SubscriptionID? {
        switch self {
        case .create(let draft), .update(let draft), .test(let draft, _): draft.id
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
