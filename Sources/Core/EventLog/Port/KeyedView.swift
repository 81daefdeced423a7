/// A process's own copy of topics whose partitions many keys share, which finds the entries of one key.
///
/// It may be behind, or missing, and is made again from the topic then: nothing is in it that the topic has not, and nothing is
/// missing in it before its place. Backends: `SQLiteKeyedView`, `MemoryKeyedView`; `KeyedViewTests` says what they have in common.
package protocol KeyedView: Sendable {
    /// The place up to which the view has a partition; nil where it has nothing of it.
    func place(of partition: TopicPartition) async throws -> KeyedPlace?

    /// Takes over what comes next in a partition, and the place behind it: both or neither. Entries without a key, or without a value, are
    /// left out.
    /// - Parameter place: the place behind the entries. One of another incarnation than the view has replaces all of the partition.
    func take(_ entries: [LogEntry], of partition: TopicPartition, to place: KeyedPlace) async throws

    /// Forgets what stands before an offset, as the topic has.
    func trim(_ partition: TopicPartition, before offset: Int64) async throws

    /// Forgets all of a partition.
    func forget(_ partition: TopicPartition) async throws

    /// The next entries of a key from an offset on, without headers; as many as make a batch (`KeyedBatch`).
    /// - Returns: a batch whose `nextOffset` at the end is the view's place.
    func entries(of key: [UInt8], in partition: TopicPartition, from offset: Int64) async throws -> LogBatch

    /// The keys that a partition has entries of, in any order.
    func keys(of partition: TopicPartition) async throws -> [[UInt8]]

    /// Lets go of files.
    func close() async
}

/// The place up to which a view has a partition.
package struct KeyedPlace: Hashable, Sendable {
    /// The incarnation of the topic; 0 where it has none.
    package var incarnation: UInt64
    /// The next offset.
    package var next: Int64

    package init(incarnation: UInt64, next: Int64) {
        self.incarnation = incarnation
        self.next = next
    }
}

/// The size of a batch of a view: with the first of them it is full.
package enum KeyedBatch {
    /// Entries at most.
    package static let entriesMax = 250
    /// Bytes of values.
    package static let bytesMax = 2 << 20
}
