import EventLog
import SQLite
import Synchronization
import Telemetry
import Waiting

/// Appends to a `SQLiteLog`; batches of several writers share a commit.
final class SQLiteLogWriter: LogWriter {
    private let log: SQLiteLog
    private let isClosed = Atomic(false)

    init(log: SQLiteLog) { self.log = log }

    func append(_ entries: [OutgoingEntry]) async throws {
        guard !isClosed.load(ordering: .relaxed) else { throw LogError.closed }
        guard !entries.isEmpty else { return }
        try await log.write { connection, table in try Self.append(entries, connection, table) }
        for partition in Set(entries.lazy.map(\.partition)) { log.bell.ring(partition) }
    }

    func close() async { isClosed.store(true, ordering: .relaxed) }

    /// Inserts entries at the ends of their partitions; all or, by the request's savepoint, none. They have one time of
    /// the append.
    static func append(
        _ entries: [OutgoingEntry], _ connection: SQLiteConnection, _ table: PartitionCache
    ) throws {
        let statement = try connection.statement(
            "INSERT INTO entries (id, time, key, value, headers, appended) VALUES (?, ?, ?, ?, ?, ?)")
        try statement.bind(WallClock.milliseconds, at: 6)
        var current: (name: TopicPartition, partition: PartitionCache.Partition)?
        for entry in entries {
            if current?.name != entry.partition {
                if let current { table.advance(current.name, to: current.partition.end) }
                current = (entry.partition, try table.partition(entry.partition, connection))
            }
            let partition = current!.partition
            guard entry.byteCount <= partition.messageBytesMax else {
                throw LogError.entryTooLarge(
                    entry.partition, bytes: entry.byteCount, maximum: partition.messageBytesMax)
            }
            try statement.bind(EntryRows(of: partition.id).row(at: partition.end), at: 1)
            try statement.bind(entry.timestamp.milliseconds, at: 2)
            try bind(entry.key, at: 3, statement)
            try bind(entry.value, at: 4, statement)
            try statement.bind(HeadersMessage.encoded(entry.headers), at: 5)
            try statement.execute()
            current!.partition.end += 1
        }
        if let current { table.advance(current.name, to: current.partition.end) }
    }

    private static func bind(_ bytes: [UInt8]?, at index: Int32, _ statement: SQLiteStatement) throws {
        if let bytes { try statement.bind(bytes, at: index) } else { try statement.bindNull(at: index) }
    }
}
