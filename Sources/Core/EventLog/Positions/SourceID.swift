/// The origin of outputs: a partition of a topic, or a store.
package struct SourceID: Hashable, Sendable, CustomStringConvertible {
    /// The topic's name without the container's prefix, or `store`.
    package var origin: String
    /// The incarnation of the topic or store of that name: a random number given at its creation, so that a recreated
    /// one is another source and its low offsets are not taken for duplicates.
    package var incarnation: UInt64
    /// 0 for a store.
    package var partition: Int32

    package init(origin: String, incarnation: UInt64, partition: Int32) {
        self.origin = origin
        self.incarnation = incarnation
        self.partition = partition
    }

    /// Orders sources where nothing is known of when they were seen.
    var sortKey: (String, UInt64, Int32) { (origin, incarnation, partition) }

    package var description: String { "\(origin)/\(partition)@\(String(incarnation, radix: 16))" }
}
