package import EventLog
import SQLite

/// The clock of retention. A wall clock that leaps ahead, or a rest of a year, makes no entry old at once
/// (docs/decisions/0047-removals-have-a-clock-of-their-own.md).
extension SQLiteLog {
    /// Milliseconds that the clock advances at most for the time that no process ran.
    private static let awayMax: Int64 = 3_600_000

    /// The time by which entries are removed: the wall clock, but no later than the last such time and the time that
    /// has passed since. It is kept in the file.
    /// - Parameter passed: by a clock that only goes forward; nil at a start, for which an hour counts at most.
    package func retentionTime(at wall: LogTimestamp, after passed: Duration?) async throws -> LogTimestamp {
        try await write { connection, _ in
            try connection.execute("CREATE TABLE IF NOT EXISTS retention_clock (time INTEGER NOT NULL) STRICT")
            let noted = try connection.first("SELECT time FROM retention_clock") { $0.integer(0) }
            let passed = passed.map { $0.components.seconds * 1000 } ?? Self.awayMax
            let known = try noted ?? Self.newestTime(connection)
            let time = known.map { min(wall.milliseconds, $0 + passed) } ?? wall.milliseconds
            try connection.execute("DELETE FROM retention_clock")
            try connection.run("INSERT INTO retention_clock VALUES (?)", .integer(time))
            return LogTimestamp(milliseconds: time)
        }
    }

    /// The newest time of the last entries of all partitions, by which a file that has no clock yet begins; nil without
    /// entries.
    private static func newestTime(_ connection: SQLiteConnection) throws -> Int64? {
        try connection.query("SELECT id FROM partitions") { EntryRows(of: $0.integer(0)) }.compactMap { rows in
            try connection.first(
                "SELECT time FROM entries WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1", .integer(rows.first),
                .integer(rows.end)
            ) { $0.integer(0) }
        }.max()
    }
}
