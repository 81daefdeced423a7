/// A subscription with its place in the store's commit order.
package struct SavedSubscription: Hashable, Sendable {
    /// The subscription itself.
    package var subscription: Subscription
    /// The position of its creation; updates keep it. `firesOnce` is spent by it.
    package var created: CommitSequence
    /// The position at which this version was saved.
    package var saved: CommitSequence

    package init(subscription: Subscription, created: CommitSequence, saved: CommitSequence) {
        self.subscription = subscription
        self.created = created
        self.saved = saved
    }
}
