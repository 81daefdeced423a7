package import CloudModel

/// A subscription as the store keeps it.
package struct StoredSubscription: Hashable, Sendable {
    /// The subscription's user, database and ID.
    package var key: SubscriptionKey
    /// The sequence of its creation.
    package var created: CommitSequence
    /// The sequence of its last save.
    package var saved: CommitSequence
    /// The encoded condition: no two subscriptions of one user in one database have the same.
    package var condition: [UInt8]
    /// The event that saved it, as it is published.
    package var body: [UInt8]

    package init(
        key: SubscriptionKey, created: CommitSequence, saved: CommitSequence, condition: [UInt8], body: [UInt8]
    ) {
        self.key = key
        self.created = created
        self.saved = saved
        self.condition = condition
        self.body = body
    }
}
