import Synchronization

/// Connections that are threads: each runs one closure at a time, and makes its connection again when it is lost.
package final class PostgreSQLPool: Sendable {
    private let core: PoolCore

    /// Starts to connect, and returns at once.
    /// - Parameter opened: called with each new connection, on its thread, before any closure. What it throws is a
    ///   failed attempt.
    package init(
        _ configuration: PostgreSQLConfiguration, _ size: PostgreSQLPoolConfiguration,
        opened: @escaping @Sendable (PostgreSQLConnection) throws -> Void = { _ in }
    ) {
        core = PoolCore(size) {
            let connection = try PostgreSQLConnection.open(configuration)
            try opened(connection)
            return connection
        }
        core.start()
    }

    deinit { core.close() }

    /// Runs `body` on a connection that nobody else uses, on its thread.
    ///
    /// A cancelled task leaves the line at once; one that runs has its statement cancelled, and its rollback is waited
    /// for. A closure flushes, commits or rolls back; anything left behind is flushed or rolled back.
    /// - Throws: what `body` throws; `CancellationError`; a `PostgreSQLError` of kind `busy` or `closed`; the error of
    ///   the last attempt while no connection can be made.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
    ) async throws -> Value {
        let call = PoolCall()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                core.submit(
                    PoolWork(
                        call: call,
                        attempt: { connection in
                            let value = try body(connection)
                            return { continuation.resume(returning: value) }
                        }, refusal: { continuation.resume(throwing: $0) }))
            }
        } onCancel: {
            core.cancel(call)
        }
    }

    /// The open connections.
    package var openCount: Int { core.openCount }
    /// The callers without a connection.
    package var waitingCount: Int { core.waitingCount }
    /// The connections that were made so far.
    package var openedCount: Int { core.openedCount }
    /// The error of the last attempt, while no connection is open.
    package var outage: (any Error)? { core.outage }

    /// Refuses waiting and later callers, lets closures that run finish, and returns when all connections are closed.
    package func close() async {
        core.close()
        await core.ended()
    }
}
