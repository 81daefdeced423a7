import Dispatch
import Waiting

/// Connections that read beside the writer: each read sees one consistent state, the latest committed when it began.
package final class SQLiteReaders: Sendable {
    private let state: BusyMutex<State>

    private struct State {
        var idle: [Confined]
        var waiting = FairTurns<String, @Sendable (Confined?) -> Void>(quantum: SQLiteWriter.turnBytes)
        var isClosed = false
    }

    /// A connection is used by one read at a time: it is taken from `idle` and put back.
    ///
    /// Each has a serial queue and with it a thread of its own: a concurrent queue has as many threads as cores for all
    /// of the process, and reads of one file would wait for those of another.
    private final class Confined: @unchecked Sendable {
        let connection: SQLiteConnection
        let queue = DispatchQueue(label: "SQLiteReaders")
        init(_ connection: SQLiteConnection) { self.connection = connection }
    }

    /// Opens `count` connections to a file that a writer has made.
    package init(_ configuration: SQLiteConfiguration, count: Int) throws {
        let connections = try (0..<count).map { _ in
            Confined(try SQLiteConnection.open(configuration, mode: .readOnly))
        }
        state = BusyMutex(State(idle: connections))
    }

    /// Runs `body` on a connection of its own, within a read transaction, on a thread outside the cooperative pool.
    /// - Parameter key: what it is done for, such as a user: where reads have to wait, keys take turns by the bytes that
    ///   their reads move.
    package func read<Result: Sendable>(
        for key: String = "", _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            take(for: key) { confined in
                guard let confined else {
                    continuation.resume(
                        throwing: SQLiteError(code: 21, message: "the readers are closed", attempt: "read"))
                    return
                }
                confined.queue.async {
                    let before = confined.connection.moved.count
                    let result = Swift.Result { try Self.inTransaction(confined.connection, body) }
                    self.giveBack(confined, key, confined.connection.moved.count - before)
                    continuation.resume(with: result)
                }
            }
        }
    }

    /// Lets reads that run finish and closes the connections; later reads fail.
    package func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            state.idle = []
            return state.waiting.removeAll()
        }
        for waiter in waiting { waiter(nil) }
    }

    /// Runs `body` within a read transaction on a connection that nobody else uses.
    package static func inTransaction<Result>(
        _ connection: SQLiteConnection, _ body: (SQLiteConnection) throws -> Result
    ) throws -> Result {
        try connection.run("BEGIN")
        do {
            let result = try body(connection)
            try connection.run("COMMIT")
            return result
        } catch {
            try? connection.run("ROLLBACK")
            throw error
        }
    }

    private func take(for key: String, _ body: @escaping @Sendable (Confined?) -> Void) {
        let (confined, mustWait) = state.withLock { state -> (Confined?, Bool) in
            if state.isClosed { return (nil, false) }
            if let confined = state.idle.popLast() { return (confined, false) }
            state.waiting.append(body, for: key)
            return (nil, true)
        }
        if !mustWait { body(confined) }
    }

    private func giveBack(_ confined: Confined, _ key: String, _ moved: Int) {
        let next = state.withLock { state -> (@Sendable (Confined?) -> Void)? in
            if state.isClosed { return nil }
            state.waiting.charge(moved, to: key)
            if let next = state.waiting.next() { return next.element }
            state.idle.append(confined)
            return nil
        }
        next?(confined)
    }
}
