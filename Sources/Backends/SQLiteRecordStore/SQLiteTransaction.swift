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

    var capabilities = SQLiteRecordStore.limits

    func nextSequence() throws -> CommitSequence {
        let next = CommitSequence(try (pending.used ?? settledSequence().rawValue) + 1)
        (pending.used, pending.taken) = (next.rawValue, next)
        return next
    }

    func lastTaken() -> CommitSequence? { pending.taken }

    func skipSequences(through sequence: CommitSequence) throws {
        pending.used = max(try pending.used ?? settledSequence().rawValue, sequence.rawValue)
    }

    func settledSequence() throws -> CommitSequence {
        if let known = pending.settled { return known }
        let found = CommitSequence(try connection.first("SELECT sequence FROM store") { $0.integer(0) } ?? 0)
        pending.settled = found
        return found
    }

    func lastRemovedSubscription() throws -> CommitSequence {
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
