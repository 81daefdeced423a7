/// Reads the existing entries of a partition, or of one key in it, by offset.
///
/// Backends: `PartitionReader` on a log; `Feeds` reads users' journals from a view (`JournalTail`).
package protocol EntryReader: Sendable {
    /// The offsets that the partition held when the reader was opened.
    var bounds: OffsetBounds { get }

    /// The next entries from an offset on, as many as come at once. An empty batch at the end is behind the entries of
    /// other keys.
    /// - Throws: `LogError.offsetOutOfRange` where the entries were removed, or the offset is of another history of the
    ///   topic; `LogError.unknownTopic` where the topic is gone.
    func batch(from offset: Int64) async throws -> LogBatch

    /// Returns when there may be entries at an offset or behind it.
    /// - Throws: as `batch`, and `CancellationError`.
    func wait(from offset: Int64) async throws

    /// Closes the reading on the log. A later batch opens it again.
    func close()
}

extension EntryReader {
    /// The first entry at an offset or behind it; nil where there is none yet.
    package func first(from offset: Int64) async throws -> LogEntry? {
        var next = offset
        while true {
            let batch = try await batch(from: next)
            if let first = batch.entries.first { return first }
            if batch.isAtEnd { return nil }
            next = batch.nextOffset
        }
    }
}

extension EventLog {
    /// Opens a partition for reading by offset.
    /// - Parameter key: the key whose entries are read alone, by walking over all; nil for all keys.
    /// - Throws: `LogError.unknownTopic`.
    package func reader(of partition: TopicPartition, key: [UInt8]? = nil) async throws -> PartitionReader {
        guard let bounds = try await bounds(of: [partition])[partition] else {
            throw LogError.unknownTopic("\(partition)")
        }
        return PartitionReader(self, partition, key: key, bounds)
    }
}
