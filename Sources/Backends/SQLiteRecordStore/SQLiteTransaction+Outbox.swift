import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    func outbox(after sequence: CommitSequence, limit: Int, bytesMax: Int) throws -> [OutboxRow] {
        let statement = try connection.statement(
            "SELECT sequence, destination, key, value, time FROM outbox WHERE sequence > ? ORDER BY sequence LIMIT ?")
        try statement.bind(sequence.rawValue, at: 1)
        try statement.bind(Int64(limit), at: 2)
        defer { statement.reset() }
        var rows: [OutboxRow] = []
        var bytes = 0
        while bytes < bytesMax, try statement.step() {
            guard let destination = OutboxRow.Destination(number: statement.integer(1)) else {
                throw StoreError.unreadable(
                    "outbox row \(statement.integer(0)) has the unknown destination \(statement.integer(1))")
            }
            let value = statement.optionalBlob(3)
            bytes += value?.count ?? 0
            rows.append(
                OutboxRow(
                    sequence: CommitSequence(statement.integer(0)), destination: destination, key: statement.blob(2),
                    value: value, time: Timestamp(milliseconds: statement.integer(4))))
        }
        return rows
    }

    func append(_ row: OutboxRow) throws {
        let statement = try connection.statement(
            "INSERT INTO outbox (sequence, destination, key, value, time) VALUES (?, ?, ?, ?, ?)")
        try statement.bind(row.sequence.rawValue, at: 1)
        try statement.bind(row.destination.number, at: 2)
        try statement.bind(row.key, at: 3)
        try statement.bind(row.time.milliseconds, at: 5)
        if let value = row.value {
            try statement.execute(value, at: 4)
        } else {
            try statement.bindNull(at: 4)
            try statement.execute()
        }
        effects.hasOutboxRows = true
        guard case .changes(let database) = row.destination else { return }
        pending.lastChanges[Int64(database.rawValue)] = row.sequence.rawValue
    }

    func removeOutbox(through sequence: CommitSequence, lastSubscription: CommitSequence) throws {
        try connection.run("DELETE FROM outbox WHERE sequence <= ?", .integer(sequence.rawValue))
        // A file from before this was so has the last event of all: changes below it wait a little longer.
        try connection.run(
            "UPDATE store SET subscription_sequence = ?1 WHERE subscription_sequence < ?1",
            .integer(lastSubscription.rawValue))
    }
}

extension OutboxRow.Destination {
    /// As the table stores it: the database's number for changes, then 10 to 12.
    fileprivate var number: Int64 {
        switch self {
        case .changes(let database): Int64(database.rawValue)
        case .subscriptions: 10
        case .deliveries: 11
        case .pushAddresses: 12
        }
    }

    fileprivate init?(number: Int64) {
        switch number {
        case 10: self = .subscriptions
        case 11: self = .deliveries
        case 12: self = .pushAddresses
        default:
            guard let database = DatabaseScope(rawValue: Int32(truncatingIfNeeded: number)) else { return nil }
            self = .changes(database)
        }
    }
}
