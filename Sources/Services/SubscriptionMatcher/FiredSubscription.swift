package import CloudModel

/// A subscription that fires on a change, with the parts that a hit needs: its condition is not among them.
package struct FiredSubscription: Hashable, Sendable {
    /// The subscription.
    package let key: SubscriptionKey
    /// The kind of its condition.
    package let kind: Subscription.Kind
    /// True if its first notification is its last.
    package let firesOnce: Bool
    /// The contents of its notifications.
    package let notificationInfo: NotificationInfo
    /// The sequence of its creation.
    package let created: CommitSequence
    /// The sequence at which this version was saved.
    package let saved: CommitSequence

    package init(
        key: SubscriptionKey, kind: Subscription.Kind, firesOnce: Bool, notificationInfo: NotificationInfo,
        created: CommitSequence, saved: CommitSequence
    ) {
        self.key = key
        self.kind = kind
        self.firesOnce = firesOnce
        self.notificationInfo = notificationInfo
        self.created = created
        self.saved = saved
    }

    /// The part of a saved subscription that a hit needs.
    package init(_ saved: SavedSubscription) {
        self.init(
            key: saved.subscription.key, kind: saved.subscription.condition.kind,
            firesOnce: saved.subscription.condition.firesOnce, notificationInfo: saved.subscription.notificationInfo,
            created: saved.created, saved: saved.saved)
    }
}
