import CloudModel
package import RecordStore
package import SQLite
import Waiting

/// The store port on one SQLite file.
package final class SQLiteRecordStore: RecordStore {
    package let incarnation: UInt64
    private let configuration: SQLiteConfiguration
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
        self.configuration = configuration
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

    /// One writer runs all closures, one after the other and each once: their parts are of no concern.
    package func write<Result: Sendable>(
        in part: StorePart, _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        // The closure runs on the writer's thread, which is in no task.
        let (work, act) = (StoreWork.current, StoreAct.current)
        let (result, hasOutboxRows, recorded) = try await StoreError.mapping {
            try await writer.write(for: work?.account ?? "") { connection in
                let transaction = SQLiteTransaction(connection)
                defer { work?.add(transaction.movedBytes) }
                return try connection.moved.limiting(to: work?.left) {
                    let result = try body(transaction)
                    try transaction.settle()
                    return (result, transaction.effects.hasOutboxRows, try act?.record(in: transaction))
                }
            }
        }
        act?.committed(recorded)
        if hasOutboxRows { outbox.ring() }
        return result
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        let work = StoreWork.current
        return try await StoreError.mapping {
            try await readers.read(for: work?.account ?? "") { connection in
                let transaction = SQLiteTransaction(connection)
                defer { work?.add(transaction.movedBytes) }
                return try connection.moved.limiting(to: work?.left) { try body(transaction) }
            }
        }
    }

    /// Returns true if a process owns the store of a file.
    package static func isOwned(_ configuration: SQLiteConfiguration) -> Bool {
        StoreLock.isHeld(path: configuration.path + ".lock")
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
        let work = StoreWork.current
        do {
            return try await scans.read(
                for: key, waitingAtMost: .seconds(Self.scanWaitSecondsMax), atMost: .seconds(Self.scanSecondsMax)
            ) { connection, hasToEnd in
                let transaction = SQLiteTransaction(connection)
                defer { work?.add(transaction.movedBytes) }
                return try body(transaction, hasToEnd)
            }
        } catch is WaitingRefusal {
            throw CloudError(
                .tryAgainLater, "other queries are running; send fewer at a time", retryAfterSeconds: 2)
        } catch is SQLiteScans.TimeoutError {
            throw CloudError.exceeded(
                ExceededLimit("scanSecondsMax", Self.scanSecondsMax),
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

    /// Pages of the index of words that one step of `eraseDeleted` writes at most: others' saves wait for one step.
    private static let wordPagesStep: Int64 = 256
    /// Attempts to empty the log; each waits for others for as long as a busy connection does.
    private static let logAttempts = 3

    package func eraseDeleted() async throws -> Bool {
        try await StoreError.mapping {
            // Words of deleted records stay in the index's segments until these are merged into one
            // (https://sqlite.org/fts5.html#the_merge_command): a negative count begins that, others go on with it.
            var pages = -Self.wordPagesStep
            while try await mergeWords(pages) { pages = Self.wordPagesStep }
            let connection = try SQLiteConnection.open(configuration)
            for _ in 0..<Self.logAttempts where try connection.truncateLog() { return true }
            return false
        }
    }

    /// Merges segments of the index of words; returns false once there is nothing to merge.
    private func mergeWords(_ pages: Int64) async throws -> Bool {
        try await writer.write { connection in
            let before = connection.totalChanges
            try connection.run("INSERT INTO words (words, rank) VALUES ('merge', ?)", .integer(pages))
            // The statement itself counts as one.
            return connection.totalChanges - before >= 2
        }
    }

    package func close() async {
        scans.close()
        await writer.close()
        readers.close()
        lock?.release()
    }
}
