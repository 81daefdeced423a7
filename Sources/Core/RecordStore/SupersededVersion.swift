package import CloudModel

/// A version of a subscription, or its deletion, that later changes do not match against.
package struct SupersededVersion: Hashable, Sendable {
    /// The version's sequence.
    package var sequence: CommitSequence
    /// Its key in the topic `subscriptions`.
    package var key: [UInt8]
    /// The time at which it was superseded.
    package var time: Timestamp
    /// The subscription that it is a version of; nil for one from before this was kept.
    package var subscription: SubscriptionKey?
    /// Bytes of its event.
    package var bytes: Int

    package init(
        sequence: CommitSequence, key: [UInt8], time: Timestamp, subscription: SubscriptionKey? = nil, bytes: Int = 0
    ) {
        self.sequence = sequence
        self.key = key
        self.time = time
        self.subscription = subscription
        self.bytes = bytes
    }
}

/// The superseded versions of a user's subscriptions that are still kept.
package struct SupersededTotals: Hashable, Sendable {
    /// The number of versions.
    package var count: Int
    /// Bytes of their events.
    package var bytes: Int
    /// The time at which the oldest was superseded; nil when there is none.
    package var oldest: Timestamp?

    package init(count: Int = 0, bytes: Int = 0, oldest: Timestamp? = nil) {
        self.count = count
        self.bytes = bytes
        self.oldest = oldest
    }
}
