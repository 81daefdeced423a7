import CloudModel
package import RecordStore
package import SQLite
import Waiting

/// The store port on one SQLite file.
package final class SQLiteRecordStore: RecordStore {
    package let incarnation: UInt64
    private let writer: SQLiteWriter
    private let readers: SQLiteReaders
    private let scans: SQLiteScans
    private let lock: StoreLock?
    private let outbox = OutboxListeners()

    /// SQLite takes 500 parts in one union and 32,766 parameters in one statement at most.
    static let limits = StoreCapabilities(conditionPartsMax: 400, conditionKeysMax: 20_000)

    package var capabilities: StoreCapabilities { Self.limits }

    /// Opens the file, or makes it.
    /// - Parameter counting: how users' usage is counted in a file from before it was.
    /// - Throws: `StoreError`; `owned` when another record service owns the store.
    package init(
        _ configuration: SQLiteConfiguration, role: StoreRole, readers count: Int = 4, counting: UsageCount? = nil
    ) throws {
        lock = role == .owner ? try StoreLock(path: configuration.path + ".lock") : nil
        do {
            writer = try SQLiteWriter(
                configuration,
                prepare: { connection in
                    try StoreSchema.prepare(connection)
                    try counting?.prepare(connection)
                })
            readers = try SQLiteReaders(configuration, count: count)
            scans = try SQLiteScans(
                configuration, count: Self.scansMax, share: Self.scansOfKey, waitersOfKey: Self.scansWaitingOfKey)
            let connection = try SQLiteConnection.open(configuration, mode: .readOnly)
            incarnation = UInt64(try connection.first("SELECT incarnation FROM store") { $0.integer(0) } ?? 0)
        } catch let error as SQLiteError {
            throw StoreError(error)
        }
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        let (result, hasOutboxRows) = try await StoreError.mapping {
            try await writer.write { connection in
                let transaction = SQLiteTransaction(connection)
                let result = try body(transaction)
                try transaction.settle()
                return (result, transaction.effects.hasOutboxRows)
            }
        }
        if hasOutboxRows { outbox.ring() }
        return result
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        do {
            return try await readers.read { try body(SQLiteTransaction($0)) }
        } catch let error as SQLiteError {
            throw StoreError(error)
        }
    }

    /// Long reads (`readAtLength`) at once.
    package static let scansMax = 4
    /// Long reads of one key at once.
    package static let scansOfKey = 2
    /// Long reads of one key that may wait.
    package static let scansWaitingOfKey = 32
    /// Seconds that a long read waits for its turn.
    package static let scanWaitSecondsMax = 30
    /// Seconds that a long read may take.
    package static let scanSecondsMax = 20

    package func readAtLength<Result: Sendable>(
        for key: String,
        _ body: @escaping @Sendable (any StoreReader, _ hasToEnd: @escaping () -> Bool) throws -> Result
    ) async throws -> Result {
        do {
            return try await scans.read(
                for: key, waitingAtMost: .seconds(Self.scanWaitSecondsMax), atMost: .seconds(Self.scanSecondsMax)
            ) { connection, hasToEnd in try body(SQLiteTransaction(connection), hasToEnd) }
        } catch is WaitingRefusal {
            throw CloudError(
                .tryAgainLater, "other queries are running; send fewer at a time", retryAfterSeconds: 2)
        } catch is SQLiteScans.TimeoutError {
            throw CloudError(
                .quotaExceeded,
                "the query took more than \(Self.scanSecondsMax) seconds; add a filter on an indexed field that leaves fewer records"
            )
        } catch let error as SQLiteError {
            throw StoreError(error)
        }
    }

    package func outboxChanges() -> AsyncStream<Void> {
        outbox.listen { [readers] in
            let found = try? await readers.read { try $0.first("SELECT 1 FROM outbox LIMIT 1") { _ in true } }
            return (found ?? nil) ?? false
        }
    }

    package func close() async {
        scans.close()
        await writer.close()
        readers.close()
        lock?.release()
    }
}
