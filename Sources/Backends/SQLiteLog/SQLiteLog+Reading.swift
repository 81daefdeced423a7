package import EventLog
import SQLite

extension SQLiteLog {
    /// Entries in one batch at most.
    static let batchEntriesMax: Int64 = 1000
    /// Bytes of values after which a batch is full.
    static let batchBytesMax = 4 << 20
    /// The same of a look: readers of feeds hold one each, hundreds of one user at once.
    static let lookBytesMax = 64 << 10

    package func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        try await read { connection in
            var result: [TopicPartition: OffsetBounds] = [:]
            for partition in partitions { result[partition] = try Self.locate(partition, connection).bounds }
            return result
        }
    }

    package func read(_ partition: TopicPartition, from offset: Int64, isLook: Bool) async throws -> LogBatch {
        let bytesMax = isLook ? Self.lookBytesMax : Self.batchBytesMax
        return try await read { connection in
            let (id, bounds) = try Self.locate(partition, connection)
            guard (bounds.start...bounds.end).contains(offset) else {
                throw LogError.offsetOutOfRange(partition, requested: offset, bounds: bounds)
            }
            let entries = try Self.entries(of: id, from: offset, bytesMax: bytesMax, connection)
            // A compacted partition may miss the offsets up to its end.
            let last = entries.last.map { $0.offset + 1 }
            let isFull = entries.count == Int(Self.batchEntriesMax) || entries.bytes >= bytesMax
            let next = isFull ? last ?? bounds.end : bounds.end
            return LogBatch(entries: entries, nextOffset: next, isAtEnd: next == bounds.end)
        }
    }

    private static func entries(
        of partition: Int64, from offset: Int64, bytesMax: Int, _ connection: SQLiteConnection
    ) throws -> [LogEntry] {
        let statement = try connection.statement(
            """
            SELECT id, time, key, value, headers, appended FROM entries WHERE id >= ? AND id < ? ORDER BY id LIMIT ?
            """)
        let rows = EntryRows(of: partition)
        try statement.bind(rows.row(at: offset), at: 1)
        try statement.bind(rows.end, at: 2)
        try statement.bind(batchEntriesMax, at: 3)
        defer { statement.reset() }
        var entries: [LogEntry] = []
        var bytes = 0
        while bytes < bytesMax, try statement.step() {
            let value = statement.optionalBlob(3)
            bytes += value?.count ?? 0
            entries.append(
                LogEntry(
                    offset: EntryRows.offset(of: statement.integer(0)),
                    timestamp: LogTimestamp(milliseconds: statement.integer(1)),
                    appended: statement.optionalInteger(5).map { LogTimestamp(milliseconds: $0) },
                    key: statement.optionalBlob(2), value: value,
                    headers: try HeadersMessage.headers(decoding: statement.blob(4))))
        }
        return entries
    }

    /// The partition's row and what it holds.
    static func locate(
        _ partition: TopicPartition, _ connection: SQLiteConnection
    ) throws -> (id: Int64, bounds: OffsetBounds) {
        let found = try connection.first(
            """
            SELECT p.id, p.retained, max(p.base, \(EntryRows.endOfPartition))
            FROM partitions p JOIN topics t ON t.id = p.topic WHERE t.name = ? AND p.number = ?
            """, .text(partition.topic.rawValue), .integer(Int64(partition.partition))
        ) { ($0.integer(0), OffsetBounds(start: $0.integer(1), end: $0.integer(2))) }
        guard let found else { throw LogError.unknownTopic("\(partition)") }
        return found
    }
}

extension [LogEntry] {
    /// Bytes of all values.
    fileprivate var bytes: Int { reduce(0) { $0 + ($1.value?.count ?? 0) } }
}
