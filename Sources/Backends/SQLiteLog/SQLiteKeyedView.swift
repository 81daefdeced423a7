package import EventLog
import SQLite
import Synchronization
import Waiting

/// The port of keyed views on one SQLite file. Its commits do not wait for the disk: what a power cut takes is read
/// from the topic again.
///
/// An entry's row number is its partition's and its offset, so that the table is in the order of the log, and the one
/// index has what a key has in that order.
package final class SQLiteKeyedView: KeyedView {
    /// Rows that are removed at once at most: others want to write as well.
    private static let trimmedMax: Int64 = 20_000
    /// The bits of a row number that are the offset.
    private static let offsetBits: Int64 = 44

    /// The version of the tables. A file of another one is emptied: it is read from the topic again.
    private static let version: Int64 = 3

    private static let tables = """
        CREATE TABLE IF NOT EXISTS partitions (
            id INTEGER PRIMARY KEY, topic TEXT NOT NULL, number INTEGER NOT NULL, incarnation INTEGER NOT NULL,
            next INTEGER NOT NULL, last_offset INTEGER, last_hash INTEGER, UNIQUE (topic, number)) STRICT;
        CREATE TABLE IF NOT EXISTS entries (
            id INTEGER PRIMARY KEY, key BLOB NOT NULL, time INTEGER NOT NULL, headers BLOB NOT NULL,
            value BLOB NOT NULL) STRICT;
        CREATE INDEX IF NOT EXISTS entries_by_key ON entries (key);
        """

    private let configuration: SQLiteConfiguration
    private let writer: SQLiteWriter
    private let readers: SQLiteReaders
    /// True while the write-ahead log may have bytes of removed entries.
    private let logHasRemoved = Atomic(false)

    /// Opens the file, or makes it.
    package init(path: String, readers count: Int = 2) throws {
        configuration = SQLiteConfiguration(path: path, isDurable: false)
        writer = try SQLiteWriter(configuration, prepare: { try Self.prepare($0) })
        readers = try SQLiteReaders(configuration, count: count)
    }

    private static func prepare(_ connection: SQLiteConnection) throws {
        if try connection.first("PRAGMA user_version", read: { $0.integer(0) }) != version {
            try connection.execute("DROP TABLE IF EXISTS partitions; DROP TABLE IF EXISTS entries;")
            try connection.execute("PRAGMA user_version = \(version)")
        }
        try connection.execute(tables)
    }

    package func place(of partition: TopicPartition) async throws -> KeyedPlace? {
        try await reading { try Self.find(partition, $0)?.place }
    }

    package func take(_ entries: [LogEntry], of partition: TopicPartition, to place: KeyedPlace) async throws {
        try await writing { connection in
            let id = try Self.move(partition, to: place, connection)
            let statement = try connection.statement(
                "INSERT OR IGNORE INTO entries (id, key, time, headers, value) VALUES (?, ?, ?, ?, ?)")
            for entry in entries {
                guard let key = entry.key else { continue }
                guard let value = entry.value else {
                    try connection.run(
                        "DELETE FROM entries WHERE key = ? AND id >= ? AND id < ?", .blob(key),
                        .integer(id << Self.offsetBits), .integer(id << Self.offsetBits | entry.offset))
                    continue
                }
                try statement.bind(id << Self.offsetBits | entry.offset, at: 1)
                try statement.bind(key, at: 2)
                // The view's entries are removed by their offsets and need no other time.
                try statement.bind(entry.appended.milliseconds, at: 3)
                try statement.bind(HeadersMessage.encoded(entry.headers), at: 4)
                try statement.bind(value, at: 5)
                try statement.execute()
            }
        }
        if entries.contains(where: { $0.value == nil }) { try await emptyLog() }
    }

    /// Takes the bytes of removed entries out of the write-ahead log, which would hold them until it is used again.
    /// Where readers are in the way for too long, the next removal or trimming tries again.
    private func emptyLog() async throws {
        logHasRemoved.store(false, ordering: .relaxed)
        // It waits for readers, which no thread of Swift's pool may.
        let outcome = await WorkerThreads(count: 1).run { [configuration] _ in
            Result { try SQLiteConnection.open(configuration).truncateLog() }
        }
        if case .success(true) = outcome { return }
        logHasRemoved.store(true, ordering: .relaxed)
        if case .failure(let error as SQLiteError) = outcome { throw error.logError }
    }

    package func trim(_ partition: TopicPartition, before offset: Int64) async throws {
        if logHasRemoved.load(ordering: .relaxed) { try await emptyLog() }
        while true {
            let isDone = try await writing { connection in
                guard let id = try Self.find(partition, connection)?.id else { return true }
                try connection.run(
                    """
                    DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE id >= ? AND id < ? ORDER BY id LIMIT ?)
                    """, .integer(id << Self.offsetBits), .integer(id << Self.offsetBits | offset),
                    .integer(Self.trimmedMax))
                return try connection.first("SELECT changes()") { $0.integer(0) } ?? 0 < Self.trimmedMax
            }
            if isDone { return }
        }
    }

    package func forget(_ partition: TopicPartition) async throws {
        try await writing { connection in
            guard let id = try Self.find(partition, connection)?.id else { return }
            try Self.empty(id, connection)
            try connection.run("DELETE FROM partitions WHERE id = ?", .integer(id))
        }
    }

    package func entries(of key: [UInt8], in partition: TopicPartition, from offset: Int64) async throws -> LogBatch {
        try await reading { connection in
            guard let (id, place) = try Self.find(partition, connection) else {
                return LogBatch(entries: [], nextOffset: offset, isAtEnd: true)
            }
            return try connection.keyedBatch(
                """
                SELECT id, time, headers, value, NULL FROM entries WHERE key = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?
                """, of: key, in: (id << Self.offsetBits | offset)..<((id + 1) << Self.offsetBits),
                to: max(offset, place.next)
            ) { $0 & (1 << Self.offsetBits - 1) }
        }
    }

    package func keys(of partition: TopicPartition) async throws -> [[UInt8]] {
        try await reading { connection in
            guard let id = try Self.find(partition, connection)?.id else { return [] }
            // Steps from key to key through the index.
            return try connection.query(
                """
                WITH RECURSIVE known (key) AS (
                    SELECT min(key) FROM entries UNION ALL
                    SELECT (SELECT min(key) FROM entries WHERE key > known.key) FROM known WHERE known.key IS NOT NULL)
                SELECT key FROM known WHERE key IS NOT NULL
                    AND EXISTS (SELECT 1 FROM entries e WHERE e.key = known.key AND e.id >= ? AND e.id < ?)
                """, .integer(id << Self.offsetBits), .integer((id + 1) << Self.offsetBits)
            ) { $0.blob(0) }
        }
    }

    package func close() async {
        await writer.close()
        readers.close()
    }

    /// The row of a partition at a place; made where there is none, and emptied where it is of another incarnation.
    private static func move(
        _ partition: TopicPartition, to place: KeyedPlace, _ connection: SQLiteConnection
    ) throws -> Int64 {
        if let (id, known) = try find(partition, connection) {
            var last = place.last
            if known.incarnation != place.incarnation { try empty(id, connection) } else { last = last ?? known.last }
            try connection.run(
                "UPDATE partitions SET incarnation = ?, next = ?, last_offset = ?, last_hash = ? WHERE id = ?",
                .integer(Int64(bitPattern: place.incarnation)), .integer(place.next), offset(last), hash(last),
                .integer(id))
            return id
        }
        try connection.run(
            "INSERT INTO partitions (topic, number, incarnation, next, last_offset, last_hash) VALUES (?, ?, ?, ?, ?, ?)",
            .text(partition.topic.rawValue), .integer(Int64(partition.partition)),
            .integer(Int64(bitPattern: place.incarnation)), .integer(place.next), offset(place.last), hash(place.last))
        return try find(partition, connection)!.id
    }

    private static func offset(_ mark: EntryMark?) -> SQLiteValue { mark.map { .integer($0.offset) } ?? .null }

    private static func hash(_ mark: EntryMark?) -> SQLiteValue {
        mark.map { .integer(Int64(bitPattern: $0.hash)) } ?? .null
    }

    private static func empty(_ id: Int64, _ connection: SQLiteConnection) throws {
        try connection.run(
            "DELETE FROM entries WHERE id >= ? AND id < ?", .integer(id << offsetBits), .integer((id + 1) << offsetBits)
        )
    }

    private static func find(
        _ partition: TopicPartition, _ connection: SQLiteConnection
    ) throws -> (id: Int64, place: KeyedPlace)? {
        try connection.first(
            "SELECT id, incarnation, next, last_offset, last_hash FROM partitions WHERE topic = ? AND number = ?",
            .text(partition.topic.rawValue), .integer(Int64(partition.partition))
        ) { row in
            let last = row.isNull(3) ? nil : EntryMark(offset: row.integer(3), hash: UInt64(bitPattern: row.integer(4)))
            return (
                row.integer(0),
                KeyedPlace(incarnation: UInt64(bitPattern: row.integer(1)), next: row.integer(2), last: last)
            )
        }
    }

    private func reading<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) async throws -> Result {
        do { return try await readers.read(body) } catch let error as SQLiteError { throw error.logError }
    }

    private func writing<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) async throws -> Result {
        do { return try await writer.write(body) } catch let error as SQLiteError { throw error.logError }
    }
}
