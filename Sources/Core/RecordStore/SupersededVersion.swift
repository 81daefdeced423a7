package import CloudModel

/// A version of a subscription, or its deletion, that changes committed after some time cannot need any more.
package struct SupersededVersion: Hashable, Sendable {
    /// The version's sequence.
    package var sequence: CommitSequence
    /// Its key in the topic `subscriptions`.
    package var key: [UInt8]
    /// When it was superseded.
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
    /// How many there are.
    package var count: Int
    /// Bytes of their events.
    package var bytes: Int
    /// When the oldest was superseded; nil when there is none.
    package var oldest: Timestamp?

    package init(count: Int = 0, bytes: Int = 0, oldest: Timestamp? = nil) {
        self.count = count
        self.bytes = bytes
        self.oldest = oldest
    }
}
