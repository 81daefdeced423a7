package import CloudModel

/// One entry of `subscriptions/modify`.
package enum SubscriptionOperation: Hashable, Sendable {
    case create(SubscriptionDraft)
    /// Only `notificationInfo` may change.
    case update(SubscriptionDraft)
    case delete(SubscriptionID)

    /// The ID that the operation names.
    package var id: SubscriptionID? {
        switch self {
        case .create(let draft), .update(let draft): draft.id
        case .delete(let id): id
        }
    }
}

/// What came of one operation or lookup.
package enum SubscriptionResult: Hashable, Sendable {
    case subscription(Subscription)
    case deleted(SubscriptionID)
    case failed(SubscriptionID?, CloudError)
}
