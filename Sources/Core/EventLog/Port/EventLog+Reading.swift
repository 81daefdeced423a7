extension EventLog {
    /// Hands over the entries of a partition up to the end that the log tells when this is called, which may be an old one.
    ///
    /// Waits for entries below that end as long as it takes.
    /// - Parameter first: the offset to begin at, where the partition begins before it.
    /// - Returns: the bounds that the log told; nil where it told none.
    /// - Throws: what `bounds` and `follow` throw, such as `unknownTopic`, and what `body` throws.
    @discardableResult
    package func readToEnd(
        of partition: TopicPartition, from first: Int64 = 0, _ body: (LogEntry) async throws -> Void
    ) async throws -> OffsetBounds? {
        guard let bounds = try await bounds(of: [partition])[partition] else { return nil }
        try await read(partition, from: max(bounds.start, first), to: bounds.end, body)
        return bounds
    }

    /// Hands over the entries of a partition from one offset up to another, for which it waits.
    package func read(
        _ partition: TopicPartition, from start: Int64, to end: Int64, _ body: (LogEntry) async throws -> Void
    ) async throws {
        guard start < end else { return }
        let follower = try await follow(partition, from: start)
        defer { follower.close() }
        var next = start
        while next < end {
            let batch = try await follower.next()
            for entry in batch.entries where entry.offset < end { try await body(entry) }
            next = batch.nextOffset
        }
    }
}
