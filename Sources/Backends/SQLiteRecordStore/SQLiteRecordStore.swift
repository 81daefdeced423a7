package import RecordStore
package import SQLite

/// The store port on one SQLite file.
package final class SQLiteRecordStore: RecordStore {
    package let incarnation: UInt64
    private let writer: SQLiteWriter
    private let readers: SQLiteReaders
    private let lock: StoreLock?

    /// Who opens the store.
    package enum Role: Sendable {
        /// The one record-service that owns it; a lock says so.
        case owner
        /// An administration command beside the owner.
        case visitor
    }

    /// Opens the file, or makes it.
    /// - Throws: `StoreLockedError` when another record-service owns the store, `SQLiteError`.
    package init(_ configuration: SQLiteConfiguration, role: Role, readers count: Int = 4) throws {
        lock = role == .owner ? try StoreLock(path: configuration.path + ".lock") : nil
        writer = try SQLiteWriter(configuration, prepare: StoreSchema.prepare)
        readers = try SQLiteReaders(configuration, count: count)
        let connection = try SQLiteConnection.open(configuration, mode: .readOnly)
        incarnation = UInt64(try connection.first("SELECT incarnation FROM store") { $0.integer(0) } ?? 0)
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await writer.write { try body(SQLiteTransaction($0)) }
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await readers.read { try body(SQLiteTransaction($0)) }
    }

    package func close() async {
        await writer.close()
        readers.close()
        lock?.release()
    }
}
