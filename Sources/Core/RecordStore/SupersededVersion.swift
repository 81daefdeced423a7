package import CloudModel

/// A version of a subscription, or its deletion, that changes committed after some time cannot need any more.
package struct SupersededVersion: Hashable, Sendable {
    /// The version's sequence.
    package var sequence: Sequence
    /// Its key in the topic `subscriptions`.
    package var key: [UInt8]
    /// When it was superseded.
    package var time: Timestamp

    package init(sequence: Sequence, key: [UInt8], time: Timestamp) {
        self.sequence = sequence
        self.key = key
        self.time = time
    }
}
