import CloudModel
import RecordStore
import SQLite

extension StoreSchema {
    /// The time of the last commit, the service clock, and when devices were heard of by it.
    static let continuityTables = """
        CREATE TABLE IF NOT EXISTS service_clock (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, wall INTEGER NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS device_heard (
            device TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS last_commit (id INTEGER PRIMARY KEY, time INTEGER NOT NULL) STRICT;
        INSERT OR IGNORE INTO last_commit VALUES (1, 0);
        """
}

extension SQLiteTransaction {
    func lastCommitTime() throws -> Timestamp {
        try connection.first("SELECT time FROM last_commit") { Timestamp(milliseconds: $0.integer(0)) }
            ?? Timestamp(milliseconds: 0)
    }

    func noteCommitTime(_ time: Timestamp) throws {
        try connection.run("UPDATE last_commit SET time = ?", .integer(time.milliseconds))
    }

    func serviceClock() throws -> StoredClock? {
        try connection.first("SELECT time, wall FROM service_clock WHERE id = 1") {
            StoredClock(time: Timestamp(milliseconds: $0.integer(0)), wall: Timestamp(milliseconds: $0.integer(1)))
        }
    }

    func noteServiceClock(_ clock: StoredClock) throws {
        try connection.run(
            """
            INSERT INTO service_clock (id, time, wall) VALUES (1, ?, ?)
            ON CONFLICT (id) DO UPDATE SET time = excluded.time, wall = excluded.wall WHERE excluded.time >= time
            """, .integer(clock.time.milliseconds), .integer(clock.wall.milliseconds))
    }

    func outboxTotals(after sequence: CommitSequence) throws -> OutboxTotals {
        try connection.first(
            "SELECT count(*), coalesce(sum(length(value)), 0) FROM outbox WHERE sequence > ?",
            .integer(sequence.rawValue)
        ) {
            OutboxTotals(rows: Int($0.integer(0)), bytes: Int($0.integer(1)))
        } ?? OutboxTotals()
    }

    func subscriptions(after key: SubscriptionKey?, limit: Int) throws -> [StoredSubscription] {
        try connection.query(
            """
            SELECT id, created, saved, condition, body, user, database FROM subscriptions
            WHERE (user, database, id) > (?, ?, ?) ORDER BY user, database, id LIMIT ?
            """, .text(key?.user.rawValue ?? ""), .integer(Int64(key?.database.rawValue ?? 0)),
            .text(key?.id.rawValue ?? ""), .integer(Int64(limit))
        ) {
            Self.subscription(
                $0, UserRecordName(trusted: $0.text(5)),
                DatabaseScope(rawValue: Int32(truncatingIfNeeded: $0.integer(6))) ?? .public)
        }
    }

    func devices(after id: DeviceID?, limit: Int) throws -> [StoredDevice] {
        try connection.query(
            """
            SELECT \(Self.deviceColumns) FROM devices WHERE id > ? ORDER BY id LIMIT ?
            """, .text(id?.rawValue ?? ""), .integer(Int64(limit)), read: Self.device)
    }
}
