import SQLite
import Waiting

#if canImport(Glibc)
    import Glibc
#endif

/// Connections for long reads, on threads of their own, fair between keys: short reads (`SQLiteReaders`) never wait for
/// them.
final class SQLiteScans: Sendable {
    /// A read took longer than it may.
    struct TimeoutError: Error {}

    private let pool: WorkPool<String>
    private let state: BusyMutex<State>

    private struct State {
        /// Taken from here by one read at a time, and put back.
        var idle: [SQLiteConfined]
        var isClosed = false
    }

    /// Opens `count` connections to a file that a writer has made, with a thread for each.
    /// - Parameters:
    ///   - share: reads of one key at once.
    ///   - waitersOfKey: how many of one key may wait.
    init(_ configuration: SQLiteConfiguration, count: Int, share: Int, waitersOfKey: Int) throws {
        state = BusyMutex(
            State(
                idle: try (0..<count).map { _ in
                    try SQLiteConfined(SQLiteConnection.open(configuration, mode: .readOnly))
                }))
        pool = WorkPool(threads: count, share: share, waitersOfKey: waitersOfKey)
    }

    /// Runs `body` on a connection of its own, within a read transaction.
    /// - Parameters:
    ///     - wait: the longest time until it starts.
    ///     - limit: the longest time from then on.
    ///     - body: gets a function that returns true when it has to end; running statements then fail by themselves.
    /// - Throws: `WaitingRefusal`, `CancellationError`, `TimeoutError`, and errors of the body.
    func read<Result: Sendable>(
        for key: String, waitingAtMost wait: Duration, atMost limit: Duration,
        _ body: @escaping @Sendable (SQLiteConnection, _ hasToEnd: @escaping () -> Bool) throws -> Result
    ) async throws -> Result {
        try await pool.run(for: key, waitingAtMost: wait) { isCancelled in
            Self.giveWay()
            guard let confined = self.state.withLock({ $0.idle.popLast() }) else {
                throw SQLiteError(code: 21, message: "the readers are closed", attempt: "read")
            }
            defer { self.state.withLock { if !$0.isClosed { $0.idle.append(confined) } } }
            let end = ContinuousClock.now + limit
            let hasToEnd = { isCancelled() || ContinuousClock.now > end }
            do {
                return try confined.connection.interrupting(when: hasToEnd) {
                    try SQLiteReaders.inTransaction(confined.connection) { try body($0, hasToEnd) }
                }
            } catch {
                if isCancelled() { throw CancellationError() }
                if ContinuousClock.now > end { throw TimeoutError() }
                throw error
            }
        }
    }

    /// Lets reads that run finish and closes the connections; later reads fail.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.idle = []
        }
    }

    /// Lowers the priority of the thread, which belongs to the pool: short work goes before long work.
    private static func giveWay() {
        #if os(Linux)
            // On Linux, 0 is the calling thread.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #endif
    }
}
