/// A subscription with its place in the store's commit order.
package struct SavedSubscription: Hashable, Sendable {
    /// The subscription itself.
    package var subscription: Subscription
    /// When it was created; updates keep it. `firesOnce` is spent by it.
    package var created: CommitSequence
    /// When this version was saved.
    package var saved: CommitSequence

    package init(subscription: Subscription, created: CommitSequence, saved: CommitSequence) {
        self.subscription = subscription
        self.created = created
        self.saved = saved
    }
}
