import CloudModel
import RecordStore
import SQLite

extension StoreSchema {
    /// Subscriptions with a backfill that were created lately.
    static let backfillTables = """
        CREATE TABLE IF NOT EXISTS backfills (
            user TEXT NOT NULL, created INTEGER NOT NULL, database INTEGER NOT NULL, time INTEGER NOT NULL,
            is_open INTEGER NOT NULL, PRIMARY KEY (user, created)) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS backfills_by_time ON backfills (time);
        """
}

extension SQLiteTransaction: BackfillTransaction {
    func backfills(of user: UserRecordName, since time: Timestamp) throws -> RecentBackfills {
        var recent = RecentBackfills()
        let rows = try connection.query(
            "SELECT database, count(*), sum(is_open) FROM backfills WHERE user = ? AND time >= ? GROUP BY database",
            .text(user.rawValue), .integer(time.milliseconds)
        ) { (database: DatabaseScope(rawValue: Int32($0.integer(0))), count: $0.integer(1), open: $0.integer(2)) }
        for row in rows {
            recent.count += Int(row.count)
            if let database = row.database { recent.open[database] = Int(row.open) }
        }
        return recent
    }

    func addBackfill(
        _ created: CommitSequence, of user: UserRecordName, in database: DatabaseScope, at time: Timestamp
    ) throws {
        try connection.run(
            "INSERT OR REPLACE INTO backfills (user, created, database, time, is_open) VALUES (?, ?, ?, ?, 1)",
            .text(user.rawValue), .integer(created.rawValue), .integer(Int64(database.rawValue)),
            .integer(time.milliseconds))
    }

    func endBackfills(_ created: [CommitSequence], of user: UserRecordName) throws {
        for created in created {
            try connection.run(
                "UPDATE backfills SET is_open = 0 WHERE user = ? AND created = ?", .text(user.rawValue),
                .integer(created.rawValue))
        }
    }

    func removeBackfills(before time: Timestamp, limit: Int) throws {
        try connection.run(
            "DELETE FROM backfills WHERE (user, created) IN (SELECT user, created FROM backfills WHERE time < ? LIMIT ?)",
            .integer(time.milliseconds), .integer(Int64(limit)))
    }

    func forgetBackfills(of user: UserRecordName) throws {
        try connection.run("DELETE FROM backfills WHERE user = ?", .text(user.rawValue))
    }
}
