import Dispatch
import Synchronization

/// The one writer of a database file: a thread that commits many waiting requests at once.
///
/// Requests run in the order of their calls. Those that wait when a transaction begins share it, each in a savepoint of
/// its own, so that one commit to disk serves all and one request's failure undoes only that request.
package final class SQLiteWriter: Sendable {
    /// Requests in one transaction at most; more would let the first wait long for the last.
    package static let groupMax = 512

    private let queue = DispatchQueue(label: "SQLiteWriter")
    private let connection: Confined
    private let state = Mutex(State())
    private let undone: @Sendable () -> Void

    private struct State {
        var waiting: [any Request] = []
        var isDraining = false
        var isClosed = false
    }

    /// The connection is touched on `queue` only, once `init` has returned.
    private final class Confined: @unchecked Sendable {
        var connection: SQLiteConnection?
        init(_ connection: SQLiteConnection) { self.connection = connection }
    }

    /// Opens the file for writing and runs `prepare` (schema, migrations) before any request.
    /// - Parameter undone: called on the writer's thread right after a whole transaction was undone, before any other
    ///   request runs: a cache of what requests did has to forget it.
    package init(
        _ configuration: SQLiteConfiguration, undone: @escaping @Sendable () -> Void = {},
        prepare: (SQLiteConnection) throws -> Void = { _ in }
    ) throws {
        self.undone = undone
        let connection = try SQLiteConnection.open(configuration)
        try connection.execute("BEGIN IMMEDIATE")
        try prepare(connection)
        try connection.execute("COMMIT")
        self.connection = Confined(connection)
    }

    /// Runs `body` in a transaction and returns once it is committed.
    ///
    /// `body` runs on the writer's thread. What it throws undoes its own changes and is thrown here.
    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            submit(TypedRequest(body: body, finish: { continuation.resume(with: $0) }))
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
    }

    private func submit(_ request: some Request) {
        let (isClosed, mustDrain) = state.withLock { state in
            guard !state.isClosed else { return (true, false) }
            state.waiting.append(request)
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
        while let group = takeGroup() {
            guard let connection = connection.connection else {
                for request in group { request.fail(SQLiteError(code: 21, message: "closed", attempt: "write")) }
                continue
            }
            SQLiteWriter.run(group, on: connection, undone: undone)
        }
    }

    private func takeGroup() -> [any Request]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDraining = false
                return nil
            }
            let count = min(state.waiting.count, SQLiteWriter.groupMax)
            let group = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(count)
            return group
        }
    }
}
