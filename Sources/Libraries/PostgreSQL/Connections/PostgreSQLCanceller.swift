import CPostgreSQL
import Synchronization
import Waiting

/// Ends the statement that a connection runs, from any thread.
///
/// A cancellation reaches the server on a connection of its own, and the server's process by a signal: the next
/// statement is only sent when that is done. A commit is never cancelled, as a server that waits for its standby would
/// report it as done.
///
/// `@unchecked Sendable`: `PQcancel` may be called by any thread, and the object is freed with the last reference.
package final class PostgreSQLCanceller: @unchecked Sendable {
    private struct State {
        var isStopped = false
        /// True while a statement runs that may be cancelled.
        var isRunning = false
        /// True from the start of a cancellation until the connection's thread has waited for its end.
        var isSending = false
    }

    /// The most threads of the process that send cancellations: a server that is silent keeps one.
    private static let threadsMaximum = 16
    private static let threads = Mutex(0)
    /// The longest that the connection's thread waits for the end of a cancellation.
    private static let sendingSeconds = 5

    private let cancel: OpaquePointer
    private let state = Mutex(State())
    private let sent = ThreadSignal()

    init?(_ handle: OpaquePointer) {
        guard let cancel = PQgetCancel(handle) else { return nil }
        self.cancel = cancel
    }

    deinit { PQfreeCancel(cancel) }

    /// Ends the running statement, which fails with kind `cancelled`, and refuses further ones until `reset`. Returns
    /// at once.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            if state.isRunning { state.isSending = state.isSending || send() }
        }
    }

    /// Asks the server to end a statement whose answer nobody waits for any more.
    func abandon() { state.withLock { $0.isSending = $0.isSending || send() } }

    /// True from `stop` to `reset`.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Allows statements again. For the thread of the connection.
    package func reset() { state.withLock { $0.isStopped = false } }

    /// Notes that a request begins.
    /// - Parameter isProtected: whether it must not be cancelled, and runs after `stop` too.
    func begin(isProtected: Bool, attempt: String) throws {
        try state.withLock { state in
            if state.isStopped, !isProtected { throw PostgreSQLError(.cancelled, "cancelled", attempt: attempt) }
            state.isRunning = !isProtected
        }
    }

    /// Notes that a request has ended, and waits for the end of its cancellation.
    /// - Returns: false if that took too long: the cancellation could reach a later statement.
    func end() -> Bool {
        let isSending = state.withLock { state in
            state.isRunning = false
            return state.isSending
        }
        guard isSending else { return true }
        guard sent.wait(seconds: Self.sendingSeconds) else { return false }
        state.withLock { $0.isSending = false }
        return true
    }

    /// Starts a thread that cancels. Returns false if too many do.
    private func send() -> Bool {
        let mayStart = Self.threads.withLock { count in
            if count < Self.threadsMaximum { count += 1 } else { return false }
            return true
        }
        guard mayStart else { return false }
        DedicatedThread.start(named: "pg-cancel") { [self] in
            // The text of a failure; without a cancellation the statement ends by its time.
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
                _ = PQcancel(cancel, text.baseAddress, 256)
            }
            Self.threads.withLock { $0 -= 1 }
            sent.signal()
        }
        return true
    }
}
