import CloudModel
import RecordService
package import RecordStore
import SQLite
import Synchronization

@testable import SQLiteRecordStore

/// The real store's tables in memory, without threads: a call finishes at once. Commits survive their process.
///
/// A weak one has no more than the port promises (`SimulatedStore+Weak.swift`).
package final class SimulatedStore: Sendable {
    /// The store, and all rows that were ever in its outbox.
    struct State: ~Copyable {
        var connection: SQLiteConnection
        /// By sequence.
        var committed: [OutboxRow] = []
        /// The rows and sequences when the copy was made; nil without a copy.
        var copied: (committed: [OutboxRow], sequences: WeakSequences)?
        /// The rows that had been committed whenever the copy took the store's place.
        var lost: [[OutboxRow]] = []
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var last = 0
        /// Nil in a strict store.
        var weak: WeakSequences?
    }

    package static let incarnation: UInt64 = 4711
    let state: Mutex<State>
    /// A number from 0 to less than a bound: decides what a weak store does.
    let choose: @Sendable (Int) -> Int

    /// Makes the tables, once for all histories.
    package init(isWeak: Bool = false, choose: @escaping @Sendable (Int) -> Int) throws {
        self.choose = choose
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: ":memory:", isDurable: false))
        try StoreSchema.prepare(connection)
        try connection.run("UPDATE store SET incarnation = ?", .integer(Int64(Self.incarnation)))
        state = Mutex(State(connection: connection, weak: isWeak ? WeakSequences() : nil))
    }

    /// Begins a history: everything is as it was after `init`.
    package func begin(isWeak: Bool) throws {
        try state.withLock { state in
            state.committed = []
            state.copied = nil
            state.lost = []
            state.listeners = [:]
            state.weak = isWeak ? WeakSequences() : nil
            try state.connection.execute("SAVEPOINT history")
        }
    }

    /// Ends a history.
    package func end() throws {
        finish()
        try state.withLock { try $0.connection.execute("ROLLBACK TO history; RELEASE history") }
    }

    /// Ends all listeners.
    package func finish() {
        state.withLock { state in
            for listener in state.listeners.values { listener.finish() }
            state.listeners = [:]
        }
    }

    package var capabilities: StoreCapabilities {
        var capabilities = SQLiteRecordStore.limits
        capabilities.isShared = state.withLock { $0.weak != nil }
        return capabilities
    }

    /// Every row that was ever committed to the outbox of the store as it is: the truth.
    package var committed: [OutboxRow] { state.withLock { $0.committed } }

    /// Every row of stores whose place a copy took.
    package var lost: [[OutboxRow]] { state.withLock { $0.lost } }

    /// Makes a copy, in place of an earlier one.
    package func copy() throws {
        try state.withLock { state in
            if state.copied != nil { try state.connection.execute("RELEASE copy") }
            try state.connection.execute("SAVEPOINT copy")
            state.copied = (state.committed, state.weak ?? WeakSequences())
        }
    }

    /// Puts the store back to the copy.
    /// - Returns: false if there is none.
    package func restoreCopy() throws -> Bool {
        try state.withLock { state in
            guard let copied = state.copied else { return false }
            try state.connection.execute("ROLLBACK TO copy")
            state.lost.append(state.committed)
            state.committed = copied.committed
            if let last = state.weak?.lastHeld { state.weak = copied.sequences.again(after: last) }
            return true
        }
    }

    /// Forgets the copy.
    package func dropCopy() throws {
        try state.withLock { state in
            guard state.copied != nil else { return }
            try state.connection.execute("RELEASE copy")
            state.copied = nil
        }
    }

    /// Makes a strict store of its own with the same contents, as a copied folder has them. Records have no texts here: the
    /// index of words is empty.
    package func duplicate() throws -> SimulatedStore {
        let (tables, committed) = try state.withLock { (try Self.rows($0.connection), $0.committed) }
        let copy = try SimulatedStore(choose: choose)
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

    /// Rows that are not published yet.
    package var outboxCount: Int {
        get throws {
            let settled = try read { try $0.outboxTotals(after: PublishedRows.last($0)).rows }
            return settled + state.withLock { $0.weak?.unsettled.count ?? 0 }
        }
    }

    /// Writes to a strict store.
    package func write<Result: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws -> Result
    ) throws -> Result {
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
                return (result, transaction.effects.hasOutboxRows ? state.bells : [])
            } catch {
                try state.connection.execute("ROLLBACK TO work; RELEASE work")
                throw error
            }
        }
        for listener in listeners { listener.yield() }
        return result
    }

    package func read<Result: Sendable>(_ body: (any StoreReader) throws -> Result) throws -> Result {
        try state.withLock { state in
            var transaction = SQLiteTransaction(state.connection)
            transaction.capabilities.isShared = state.weak != nil
            return try body(transaction)
        }
    }

    package func listen() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            state.last += 1
            state.listeners[state.last] = continuation
        }
        return stream
    }
}

extension SimulatedStore.State {
    /// The streams of all that wait for rows, in the order of their calls.
    var bells: [AsyncStream<Void>.Continuation] { listeners.sorted { $0.key < $1.key }.map(\.value) }
}
