/// A process's view of topics whose partitions many keys share, which finds the entries of one key: mostly a copy.
///
/// It may be behind, or missing, and is rebuilt from the topic then: it has no entry that the topic lacks, and lacks
/// none before its position. Backends: `SQLiteKeyedView`, `MemoryKeyedView`; `KeyedViewTests` test their common
/// behaviour. `SQLiteLog.keyedView` serves it from the log's own entries.
package protocol KeyedView: Sendable {
    /// The place up to which the view has a partition; nil where it has nothing of it.
    func place(of partition: TopicPartition) async throws -> KeyedPlace?

    /// Takes over the next entries of a partition, and the position behind them: both or neither. An entry without a
    /// value removes those of its key before it; entries without a key are left out.
    /// - Parameter place: the position behind the entries. Another incarnation than the view's replaces the whole
    ///   partition. Without a last entry the view keeps the one that it has.
    func take(_ entries: [LogEntry], of partition: TopicPartition, to place: KeyedPlace) async throws

    /// Removes entries before an offset, as the topic has.
    func trim(_ partition: TopicPartition, before offset: Int64) async throws

    /// Forgets all of a partition.
    func forget(_ partition: TopicPartition) async throws

    /// The next entries of a key from an offset on, with the headers that they were taken with; as many as make a batch
    /// (`KeyedBatch`).
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
    /// The last entry before it, by which another history of the same topic is recognized; nil where none was met.
    package var last: EntryMark?

    package init(incarnation: UInt64, next: Int64, last: EntryMark? = nil) {
        self.incarnation = incarnation
        self.next = next
        self.last = last
    }
}

/// The bounds of a view's batch, which is full when it reaches one of them.
package enum KeyedBatch {
    /// Entries at most.
    package static let entriesMax = 250
    /// Bytes of values.
    package static let bytesMax = 2 << 20
}
