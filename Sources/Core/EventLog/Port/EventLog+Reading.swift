extension EventLog {
    /// Passes the entries of a partition to `body`, up to the end that the log reports at the call, which may be stale.
    ///
    /// Waits for entries below that end without a limit.
    /// - Parameter first: the offset to start at, if the partition starts before it.
    /// - Returns: the reported bounds; nil if there are none.
    /// - Throws: as `bounds` and `follow`, such as `unknownTopic`, and as `body`.
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

    /// The last value of each key of a partition, up to the end that the log reports; without keys that were removed.
    package func lastValues(of partition: TopicPartition) async throws -> [[UInt8]: [UInt8]] {
        var values: [[UInt8]: [UInt8]] = [:]
        try await readToEnd(of: partition) { entry in if let key = entry.key { values[key] = entry.value } }
        return values
    }

    /// The entry at an offset; nil where there is none.
    package func entry(at offset: Int64, of partition: TopicPartition) async throws -> LogEntry? {
        guard let bounds = try await bounds(of: [partition])[partition], bounds.start <= offset, offset < bounds.end
        else { return nil }
        let follower = try await follow(partition, from: offset)
        defer { follower.close() }
        while true {
            let batch = try await follower.next()
            if let first = batch.entries.first { return first.offset == offset ? first : nil }
            if batch.nextOffset > offset { return nil }
        }
    }
}
