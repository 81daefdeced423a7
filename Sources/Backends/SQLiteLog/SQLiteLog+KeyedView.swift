package import EventLog
import SQLite
import Synchronization

extension SQLiteLog {
    /// A keyed view of topics of this log, which copies nothing: an index of their entries by key serves it.
    package func keyedView() -> any KeyedView { LogKeyedView(self) }
}

/// The port of keyed views on the log's own entries: nothing is written twice.
///
/// What `take` hands over is in the log already, and what `trim` and `forget` name is the log's to remove. The view ends
/// at the place of the last `take`, as a copy would.
private final class LogKeyedView: KeyedView {
    private let log: SQLiteLog
    /// The offset behind the last taken entry of each partition.
    private let next = Mutex<[TopicPartition: Int64]>([:])

    init(_ log: SQLiteLog) { self.log = log }

    /// Everything that the log has: a follower goes on at its end.
    func place(of partition: TopicPartition) async throws -> KeyedPlace? {
        guard let topic = try await log.describeTopics([partition.topic])[partition.topic],
            let end = try await log.bounds(of: [partition])[partition]?.end
        else { return nil }
        try await index(partition.topic)
        next.withLock { $0[partition] = end }
        return KeyedPlace(incarnation: topic.incarnation ?? 0, next: end)
    }

    func take(_ entries: [LogEntry], of partition: TopicPartition, to place: KeyedPlace) async throws {
        next.withLock { $0[partition] = place.next }
    }

    func trim(_ partition: TopicPartition, before offset: Int64) async throws {}

    func forget(_ partition: TopicPartition) async throws { next.withLock { $0[partition] = nil } }

    func entries(of key: [UInt8], in partition: TopicPartition, from offset: Int64) async throws -> LogBatch {
        guard let end = next.withLock({ $0[partition] }) else {
            return LogBatch(entries: [], nextOffset: offset, isAtEnd: true)
        }
        return try await log.read { connection in
            let (id, bounds) = try SQLiteLog.locate(partition, connection)
            guard offset >= bounds.start else {
                throw LogError.offsetOutOfRange(partition, requested: offset, bounds: bounds)
            }
            let index = try KeyIndex(of: partition.topic, connection)
            let rows = EntryRows(of: id)
            let removal = try connection.first(
                """
                SELECT id FROM entries WHERE key = ? AND id >= ? AND id < ? AND value IS NULL AND \(index.term)
                ORDER BY id DESC LIMIT 1
                """, .blob(key), .integer(rows.first), .integer(rows.row(at: end))
            ) { $0.integer(0) }
            let first = max(rows.row(at: offset), removal.map { $0 + 1 } ?? 0)
            let behind = max(first, rows.row(at: end))
            return try connection.keyedBatch(
                index.entriesOfKey, of: key, in: first..<behind, to: max(offset, end), offset: EntryRows.offset)
        }
    }

    func keys(of partition: TopicPartition) async throws -> [[UInt8]] {
        guard let end = next.withLock({ $0[partition] }) else { return [] }
        return try await log.read { connection in
            let (id, _) = try SQLiteLog.locate(partition, connection)
            let index = try KeyIndex(of: partition.topic, connection)
            let rows = EntryRows(of: id)
            // Steps from key to key through the index. The last entry of a key that is left says whether it was removed.
            return try connection.query(
                """
                WITH RECURSIVE known (key) AS (
                    SELECT min(key) FROM entries WHERE \(index.term) AND key >= x'' UNION ALL
                    SELECT (SELECT min(key) FROM entries WHERE \(index.term) AND key > known.key)
                    FROM known WHERE known.key IS NOT NULL)
                SELECT key FROM known WHERE key IS NOT NULL AND (
                    SELECT value IS NOT NULL FROM entries e WHERE e.key = known.key AND e.id >= ? AND e.id < ?
                        AND \(index.term(of: "e")) ORDER BY e.id DESC LIMIT 1)
                """, .integer(rows.first), .integer(rows.row(at: end))
            ) { $0.blob(0) }
        }
    }

    func close() async {}

    /// Makes the index of a topic, where it is missing.
    private func index(_ topic: TopicName) async throws {
        let statement = try await log.read { connection in
            let index = try KeyIndex(of: topic, connection)
            return try index.exists(connection) ? nil : index.creation
        }
        if let statement { try await log.write { connection, _ in try connection.execute(statement) } }
    }
}

/// The indexes by key of the entries of one topic: partial, so that no other topic's entries are in them.
struct KeyIndex {
    private let name: String
    private let rows: (first: Int64, end: Int64)

    /// - Throws: `LogError.unknownTopic`.
    init(of topic: TopicName, _ connection: SQLiteConnection) throws {
        let found = try connection.first(
            """
            SELECT t.id, min(p.id), max(p.id) FROM topics t JOIN partitions p ON p.topic = t.id WHERE t.name = ?
            GROUP BY t.id
            """, .text(topic.rawValue)
        ) { ($0.integer(0), $0.integer(1), $0.integer(2)) }
        guard let (id, first, last) = found else { throw LogError.unknownTopic(topic.rawValue) }
        name = "keyed_\(id)"
        // Partitions of a topic are made together: their numbers follow each other.
        rows = (EntryRows(of: first).first, EntryRows(of: last).end)
    }

    /// The condition of the indexes. SQLite uses one only for a query that has it as well, and seeks by the first bounds of
    /// `id` in the query: this condition comes last.
    var term: String { "id >= \(rows.first) AND id < \(rows.end)" }

    /// The same condition for a table of another name.
    func term(of table: String) -> String { "\(table).id >= \(rows.first) AND \(table).id < \(rows.end)" }

    /// SQL of the next entries of a key: the key, the first row, the row behind the last one, and how many.
    var entriesOfKey: String {
        """
        SELECT id, time, headers, value, appended FROM entries
        WHERE key = ? AND id >= ? AND id < ? AND \(term) ORDER BY id LIMIT ?
        """
    }

    /// SQL that makes the indexes: one of all entries, one of those that remove their key.
    var creation: String {
        """
        CREATE INDEX IF NOT EXISTS \(name) ON entries (key) WHERE \(term);
        CREATE INDEX IF NOT EXISTS \(name)_removals ON entries (key) WHERE \(term) AND value IS NULL;
        """
    }

    /// SQL that removes the indexes.
    var removal: String { "DROP INDEX IF EXISTS \(name); DROP INDEX IF EXISTS \(name)_removals;" }

    func exists(_ connection: SQLiteConnection) throws -> Bool {
        try connection.first("SELECT 1 FROM sqlite_schema WHERE name = ?", .text(name + "_removals")) { _ in true }
            ?? false
    }
}
