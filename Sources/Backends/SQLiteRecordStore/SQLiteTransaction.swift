import CloudModel
import RecordStore
import SQLite

/// One closure's view of the store on a connection, for reading or, on the writer's thread, for changing.
struct SQLiteTransaction: StoreTransaction {
    let connection: SQLiteConnection
    let numbers: StoreNumbers
    let effects = TransactionEffects()

    init(_ connection: SQLiteConnection) {
        self.connection = connection
        numbers = StoreNumbers(connection)
    }

    var capabilities: StoreCapabilities { SQLiteRecordStore.limits }

    func nextSequence() throws -> CommitSequence {
        let next = try connection.first("UPDATE store SET sequence = sequence + 1 RETURNING sequence") {
            CommitSequence($0.integer(0))
        }
        return next ?? .zero
    }

    func lastSequence() throws -> CommitSequence {
        try connection.first("SELECT sequence FROM store") { CommitSequence($0.integer(0)) } ?? .zero
    }

    func lastSubscriptionSequence() throws -> CommitSequence {
        try connection.first("SELECT subscription_sequence FROM store") { CommitSequence($0.integer(0)) } ?? .zero
    }

    func position(_ reader: String) throws -> [UInt8]? {
        try connection.first("SELECT position FROM positions WHERE reader = ?", .text(reader)) { $0.blob(0) }
    }

    func setPosition(_ position: [UInt8], of reader: String) throws {
        try connection.run(
            "INSERT INTO positions (reader, position) VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position",
            .text(reader), .blob(position))
    }
}

/// Effects of one closure that matter after its commit.
final class TransactionEffects {
    /// True once a row was added to the outbox.
    var hasOutboxRows = false
}
