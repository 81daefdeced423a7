import CloudModel
import RecordService
import RecordStore
import SQLite
import Synchronization

@testable import SQLiteRecordStore

/// The real store's tables in memory, without its threads: a call finishes at once, between two steps of the scheduler.
/// Commits survive their process.
final class SimulatedStore: Sendable {
    /// The store, and all rows that were ever in its outbox.
    private struct State: ~Copyable {
        var connection: SQLiteConnection
        var committed: [OutboxRow] = []
        /// The rows when the copy was made; nil without a copy.
        var copied: [OutboxRow]?
        /// The rows that had been committed whenever the copy took the store's place.
        var lost: [[OutboxRow]] = []
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var last = 0
    }

    static let incarnation: UInt64 = 4711
    private let state: Mutex<State>

    /// Makes the tables, once for all histories.
    init() throws {
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: ":memory:", isDurable: false))
        try StoreSchema.prepare(connection)
        try connection.run("UPDATE store SET incarnation = ?", .integer(Int64(Self.incarnation)))
        state = Mutex(State(connection: connection))
    }

    /// Begins a history: everything is as it was after `init`.
    func begin() throws {
        try state.withLock { state in
            state.committed = []
            state.copied = nil
            state.lost = []
            state.listeners = [:]
            try state.connection.execute("SAVEPOINT history")
        }
    }

    /// Ends a history.
    func end() throws {
        finish()
        try state.withLock { try $0.connection.execute("ROLLBACK TO history; RELEASE history") }
    }

    /// Ends all listeners.
    func finish() {
        state.withLock { state in
            for listener in state.listeners.values { listener.finish() }
            state.listeners = [:]
        }
    }

    /// Every row that was ever committed to the outbox of the store as it is: the truth.
    var committed: [OutboxRow] { state.withLock { $0.committed } }

    /// Every row of stores whose place a copy took.
    var lost: [[OutboxRow]] { state.withLock { $0.lost } }

    /// Makes a copy, in place of an earlier one.
    func copy() throws {
        try state.withLock { state in
            if state.copied != nil { try state.connection.execute("RELEASE copy") }
            try state.connection.execute("SAVEPOINT copy")
            state.copied = state.committed
        }
    }

    /// Puts the store back to the copy.
    /// - Returns: false if there is none.
    func restoreCopy() throws -> Bool {
        try state.withLock { state in
            guard let copied = state.copied else { return false }
            try state.connection.execute("ROLLBACK TO copy")
            state.lost.append(state.committed)
            state.committed = copied
            return true
        }
    }

    /// Forgets the copy.
    func dropCopy() throws {
        try state.withLock { state in
            guard state.copied != nil else { return }
            try state.connection.execute("RELEASE copy")
            state.copied = nil
        }
    }

    /// Makes a store of its own with the same contents, as a copied folder has them. Records have no texts here: the
    /// index of words is empty.
    func duplicate() throws -> SimulatedStore {
        let (tables, committed) = try state.withLock { (try Self.rows($0.connection), $0.committed) }
        let copy = try SimulatedStore()
        try copy.state.withLock { state in
            let connection = state.connection
            try connection.execute("PRAGMA foreign_keys=OFF")
            for table in tables { try connection.execute("DELETE FROM \(table.name)") }
            for table in tables {
                for row in table.rows {
                    let places = Array(repeating: "?", count: row.count).joined(separator: ", ")
                    try connection.visit("INSERT INTO \(table.name) VALUES (\(places))", row) { _ in true }
                }
            }
            try connection.execute("PRAGMA foreign_keys=ON")
            state.committed = committed
        }
        return copy
    }

    private static func rows(_ connection: SQLiteConnection) throws -> [(name: String, rows: [[SQLiteValue]])] {
        let names = try connection.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'words%'"
        ) { $0.text(0) }
        return try names.map { name in
            let count = try connection.first("SELECT count(*) FROM pragma_table_info(?)", .text(name)) { $0.integer(0) }
            let rows = try connection.query("SELECT * FROM \(name)") { row in
                (0..<Int32(count ?? 0)).map { row.value($0) }
            }
            return (name: name, rows: rows)
        }
    }

    /// Rows that are not removed yet.
    var outboxCount: Int {
        get throws { try read { try $0.outboxTotals(after: PublishedRows.last($0)).rows } }
    }

    func write<Result: Sendable>(_ body: @Sendable (any StoreTransaction) throws -> Result) throws -> Result {
        let (result, listeners) = try state.withLock { state in
            try state.connection.execute("SAVEPOINT work")
            do {
                let transaction = SQLiteTransaction(state.connection)
                let result = try body(transaction)
                try transaction.settle()
                if transaction.effects.hasOutboxRows {
                    let last = state.committed.last?.sequence ?? .zero
                    state.committed += try transaction.outbox(after: last, limit: 10_000, bytesMax: .max)
                }
                try state.connection.execute("RELEASE work")
                let rung = transaction.effects.hasOutboxRows ? state.listeners : [:]
                return (result, rung.sorted { $0.key < $1.key }.map(\.value))
            } catch {
                try state.connection.execute("ROLLBACK TO work; RELEASE work")
                throw error
            }
        }
        for listener in listeners { listener.yield() }
        return result
    }

    func read<Result: Sendable>(_ body: @Sendable (any StoreReader) throws -> Result) throws -> Result {
        try state.withLock { try body(SQLiteTransaction($0.connection)) }
    }

    func listen() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            state.last += 1
            state.listeners[state.last] = continuation
        }
        return stream
    }
}

/// The store port of one process.
struct StorePort: RecordStore {
    let store: SimulatedStore
    let life: Life

    var incarnation: UInt64 { SimulatedStore.incarnation }
    var capabilities: StoreCapabilities { SQLiteRecordStore.limits }

    func write<Result: Sendable>(
        in part: StorePart, _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await enter()
        let result = try store.write(body)
        // A process may die between a commit and the answer.
        try await enter()
        return result
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await enter()
        return try store.read(body)
    }

    func readAtLength<Result: Sendable>(
        for key: String,
        _ body: @escaping @Sendable (any StoreReader, _ hasToEnd: @escaping () -> Bool) throws -> Result
    ) async throws -> Result {
        try await enter()
        return try store.read { try body($0, { false }) }
    }

    func outboxChanges() -> AsyncStream<Void> { store.listen() }

    func eraseDeleted() async throws -> Bool { true }

    func close() async {}

    private func enter() async throws {
        await Task.yield()
        if life.isDead { throw StoreError.unavailable("the process is dead") }
    }
}
