import CloudModel
import RecordStore
import SQLite

/// One closure's view of the store on a connection, for reading or, on the writer's thread, for changing.
struct SQLiteTransaction: StoreTransaction {
    let connection: SQLiteConnection
    let numbers: StoreNumbers
    let effects = TransactionEffects()
    let pending = PendingRows()
    /// The bytes that the connection had moved before.
    private let movedBefore: Int

    init(_ connection: SQLiteConnection) {
        self.connection = connection
        movedBefore = connection.moved.count
        numbers = StoreNumbers(connection)
    }

    var movedBytes: Int { connection.moved.count - movedBefore }

    var capabilities: StoreCapabilities { SQLiteRecordStore.limits }

    func nextSequence() throws -> CommitSequence {
        let next = try lastSequence().rawValue + 1
        pending.sequence = next
        pending.isSequenceChanged = true
        return CommitSequence(next)
    }

    func skipSequences(through sequence: CommitSequence) throws {
        pending.sequence = max(try lastSequence(), sequence).rawValue
        pending.isSequenceChanged = true
    }

    func lastSequence() throws -> CommitSequence {
        if let known = pending.sequence { return CommitSequence(known) }
        let found = try connection.first("SELECT sequence FROM store") { $0.integer(0) } ?? 0
        pending.sequence = found
        return CommitSequence(found)
    }

    func lastSubscriptionSequence() throws -> CommitSequence {
        if let known = pending.subscriptionSequence { return known }
        let found = try connection.first("SELECT subscription_sequence FROM store") { CommitSequence($0.integer(0)) }
        pending.subscriptionSequence = found
        return found ?? .zero
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
