import CloudModel
import RecordStore
import SQLite

/// Writes the pending rows (`PendingRows`).
extension SQLiteTransaction {
    /// Writes everything: called at the end of each closure that changes the store.
    func settle() throws {
        if let used = pending.used { try connection.run("UPDATE store SET sequence = ?", .integer(used)) }
        for (database, sequence) in pending.lastChanges {
            try connection.run(
                "UPDATE last_changes SET sequence = max(sequence, ?) WHERE database = ?", .integer(sequence),
                .integer(database))
        }
        pending.lastChanges = [:]
        try settleUsage()
        try settleEntries()
    }

    /// Writes amounts, before rows of `usage` are read.
    func settleUsage() throws {
        for (key, amount) in pending.usage {
            try connection.run(
                """
                INSERT INTO usage (user, kind, amount) VALUES (?1, ?2, ?3)
                ON CONFLICT (user, kind) DO UPDATE SET amount = ?3
                """, .text(key.user.rawValue), .integer(key.kind.rawValue), .integer(amount))
        }
        pending.usage = [:]
    }

    /// Writes entries, before rows of `entries` are read or removed.
    func settleEntries() throws {
        guard !pending.entries.isEmpty else { return }
        let statement = try connection.statement(
            "INSERT INTO entries (\"index\", zone, key, record) VALUES (?, ?, ?, ?)")
        for entry in pending.takeEntries() {
            try statement.bind(entry.index, at: 1)
            try statement.bind(entry.zone, at: 2)
            try statement.bind(key: entry.key, at: 3)
            try statement.bind(entry.record, at: 4)
            try statement.execute()
        }
    }
}

extension SQLiteStatement {
    /// Binds the key of an index.
    func bind(key: IndexKey, at parameter: Int32) throws {
        switch key {
        case .integer(let value): try bind(value, at: parameter)
        case .real(let value): try bind(SQLiteValue.real(value), at: parameter)
        case .text(let value): try bind(value, at: parameter)
        }
    }
}
