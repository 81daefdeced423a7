import Dispatch
import Waiting

/// The one writer of a database file: a thread that commits many waiting requests at once.
///
/// Requests of one key run in the order of their calls, and keys take turns by the bytes that their requests move
/// (`FairTurns`). Those that wait when a transaction begins share it, each in a savepoint of its own, so that one commit
/// to disk serves all and one request's failure undoes only that request. A key whose last request moved many bytes has
/// a transaction of its own for the next one: those who share a transaction all wait for its largest request. It waits
/// behind all other keys, for `lightTransactionsMax` transactions at most: a small request waits for one large one, and
/// not for one of each key that makes such.
package final class SQLiteWriter: Sendable {
    /// Requests in one transaction at most; more would let the first wait long for the last.
    package static let groupMax = 512
    /// Bytes after which a transaction takes no further request: others wait for it.
    package static let groupBytesMax = 2 << 20
    /// Bytes of a request after which its key's next one shares no transaction.
    static let heavyBytes = 512 << 10
    /// Keys that are remembered for such requests.
    private static let heavyKeysMax = 1024
    /// Bytes that the requests of one key may move before it is the turn of another.
    static let turnBytes = 64 << 10

    /// Pages of the write-ahead log from which on a checkpoint is made beside the writer: fewer, larger ones cost less
    /// than the longer log that they need.
    package static let checkpointPages = 4000
    /// Pages of the write-ahead log at which the writer itself makes one: under load without a pause the one beside it
    /// never reaches the end of the log, which would grow without a bound.
    package static let logPagesMax = 16_000

    private let queue = DispatchQueue(label: "SQLiteWriter")
    let checkpoints: Checkpoints
    private let connection: Confined
    private let state = BusyMutex(State())
    private let undone: @Sendable () -> Void

    /// Transactions that keys without large requests have before one of the others goes first.
    static let lightTransactionsMax = 4

    /// The two queues of requests.
    private enum Line: Hashable { case light, heavy }

    private struct State {
        /// Requests of one key wait in one of them, in order.
        private var lines = [
            Line.light: FairTurns<String, any Request>(quantum: SQLiteWriter.turnBytes),
            .heavy: FairTurns(quantum: SQLiteWriter.turnBytes),
        ]
        /// Transactions of the light line since one of the heavy line, while that had requests.
        private var lightTransactions = 0
        var isDraining = false
        var isClosed = false
        /// The keys whose last request moved many bytes.
        private(set) var heavy: Set<String> = []

        var count: Int { lines.values.reduce(0) { $0 + $1.count } }

        mutating func append(_ request: any Request, _ key: String) {
            let isHeavy = heavy.contains(key) && !lines[.light]!.hasElements(of: key)
            lines[isHeavy || lines[.heavy]!.hasElements(of: key) ? .heavy : .light]!.append(request, for: key)
        }

        /// The line of the next transaction, and its first key; nil when nothing waits.
        mutating func begin() -> (line: Line, key: String, waiting: Int)? {
            let hasHeavy = lines[.heavy]!.count > 0
            let isLight = lines[.light]!.count > 0 && (!hasHeavy || lightTransactions < lightTransactionsMax)
            let line = isLight ? Line.light : .heavy
            guard let key = lines[line]!.nextKey() else { return nil }
            lightTransactions = isLight && hasHeavy ? lightTransactions + 1 : 0
            return (line, key, lines[line]!.count)
        }

        mutating func nextKey(of line: Line) -> String? { lines[line]!.nextKey() }

        mutating func next(of line: Line) -> (key: String, request: any Request)? {
            lines[line]!.next().map { ($0.key, $0.element) }
        }

        mutating func removeAll() -> [any Request] {
            lines[.light]!.removeAll() + lines[.heavy]!.removeAll()
        }

        /// Work without a key is of many parties.
        mutating func charge(_ bytes: Int, to key: String) {
            for line in [Line.light, .heavy] { lines[line]!.charge(bytes, to: key) }
            guard bytes > heavyBytes, !key.isEmpty else {
                heavy.remove(key)
                return
            }
            if heavy.count >= heavyKeysMax { heavy = [] }
            heavy.insert(key)
        }
    }

    /// The connection is touched on `queue` only, once `init` has returned.
    private final class Confined: @unchecked Sendable {
        var connection: SQLiteConnection?
        init(_ connection: SQLiteConnection) { self.connection = connection }
    }

    /// Opens the file for writing and runs `prepare` (schema, migrations) before any request.
    /// - Parameter undone: called on the writer's thread right after a whole transaction was undone, before any other
    ///   request runs: a cache of what requests did has to forget it.
    package convenience init(
        _ configuration: SQLiteConfiguration, undone: @escaping @Sendable () -> Void = {},
        prepare: (SQLiteConnection) throws -> Void = { _ in }
    ) throws {
        try self.init(configuration, CheckpointPlan(), undone: undone, prepare: prepare)
    }

    init(
        _ configuration: SQLiteConfiguration, _ plan: CheckpointPlan, undone: @escaping @Sendable () -> Void = {},
        prepare: (SQLiteConnection) throws -> Void = { _ in }
    ) throws {
        self.undone = undone
        checkpoints = Checkpoints(configuration, plan)
        let connection = try SQLiteConnection.open(configuration)
        try connection.execute("BEGIN IMMEDIATE")
        try prepare(connection)
        try connection.execute("COMMIT")
        connection.leaveCheckpoints()
        self.connection = Confined(connection)
    }

    /// Runs `body` in a transaction and returns once it is committed.
    ///
    /// `body` runs on the writer's thread. What it throws undoes its own changes and is thrown here.
    /// - Parameter key: what it is done for, such as a user; work without one has a turn of its own.
    package func write<Result: Sendable>(
        for key: String = "", _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            submit(TypedRequest(body: body, finish: { continuation.resume(with: $0) }), key)
        }
    }

    /// Ends the writer after the requests it has; later ones fail. The file is closed when this returns.
    package func close() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            queue.async { [connection] in
                connection.connection = nil
                continuation.resume()
            }
        }
        await checkpoints.close()
    }

    /// The number of requests that no transaction has taken yet.
    var waitingCount: Int { state.withLock { $0.count } }

    private func submit(_ request: some Request, _ key: String) {
        let (isClosed, mustDrain) = state.withLock { state in
            guard !state.isClosed else { return (true, false) }
            state.append(request, key)
            defer { state.isDraining = true }
            return (false, !state.isDraining)
        }
        if isClosed {
            request.fail(SQLiteError(code: 21, message: "the writer is closed", attempt: "write"))
        } else if mustDrain {
            queue.async { self.drain() }
        }
    }

    private func drain() {
        while let (line, waiting, isHeavy) = beginGroup() {
            guard let connection = connection.connection else {
                let refused = state.withLock { $0.removeAll() }
                for request in refused { request.fail(SQLiteError(code: 21, message: "closed", attempt: "write")) }
                continue
            }
            let group = RequestGroup(connection, isAlone: waiting == 1 || isHeavy)
            let last = connection.moved.count + Self.groupBytesMax
            let most = isHeavy ? 1 : min(waiting, Self.groupMax)
            var taken = 0
            group.run(undone: undone) {
                guard taken < most, connection.moved.count < last else { return nil }
                taken += 1
                return takeNext(of: line, isFirst: taken == 1)
            } ran: { key, bytes in
                state.withLock { $0.charge(bytes, to: key) }
            }
            checkpoints.afterCommit(of: connection)
        }
    }

    /// The line of the next transaction, the number of its requests as it begins, and whether the first is to have it
    /// alone; nil when there are none, which ends the draining.
    private func beginGroup() -> (line: Line, waiting: Int, isHeavy: Bool)? {
        state.withLock { state in
            guard let (line, key, waiting) = state.begin() else {
                state.isDraining = false
                return nil
            }
            return (line, waiting, line == .heavy || state.heavy.contains(key))
        }
    }

    private func takeNext(of line: Line, isFirst: Bool) -> (key: String, request: any Request)? {
        state.withLock { state in
            if !isFirst, let key = state.nextKey(of: line), state.heavy.contains(key) { return nil }
            return state.next(of: line)
        }
    }
}
