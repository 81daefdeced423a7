package import CloudModel

/// A committed change that has to be published, in commit order.
package struct OutboxRow: Hashable, Sendable {
    /// The topic of a row.
    package enum Destination: Hashable, Sendable {
        case changes(DatabaseScope)
        case subscriptions
        case deliveries
        case pushAddresses
    }

    /// Its position in the commit order, and the name of the published entry.
    package var sequence: CommitSequence
    /// The topic that it is published to.
    package var destination: Destination
    /// The key of the entry, which also chooses its partition.
    package var key: [UInt8]
    /// Nil removes the key from its topic.
    package var value: [UInt8]?
    /// The time of the commit.
    package var time: Timestamp

    package init(sequence: CommitSequence, destination: Destination, key: [UInt8], value: [UInt8]?, time: Timestamp) {
        self.sequence = sequence
        self.destination = destination
        self.key = key
        self.value = value
        self.time = time
    }
}
