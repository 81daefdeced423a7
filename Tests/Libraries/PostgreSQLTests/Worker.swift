import Synchronization
import Waiting

/// Work on a thread of its own, which a test waits for.
final class Worker: Sendable {
    private let thread: DedicatedThread
    private let failure = Shared<(any Error)?>(nil)

    /// - Parameter body: may use a connection that the test does not use before `join`.
    init(_ body: @escaping () throws -> Void) {
        nonisolated(unsafe) let body = body
        thread = DedicatedThread { [failure] in
            do { try body() } catch { failure.update { $0 = error } }
        }
    }

    /// Waits for the end, and throws the work's error.
    func join() throws {
        thread.join()
        if let error = failure.value { throw error }
    }
}

/// A value that threads share.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }

    func update(_ change: (inout Value) -> Void) { state.withLock { change(&$0) } }
}
