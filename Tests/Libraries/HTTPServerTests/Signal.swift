import Synchronization
import TestSupport

/// Values that happen at some time, to be awaited with a deadline, so that no test waits longer than it must.
final class Signal<Value: Sendable>: Sendable {
    struct Overdue: Error {}

    private struct State {
        var values: [Value] = []
        var waiter: (count: Int, continuation: CheckedContinuation<[Value], any Error>)?
    }

    private let state = Mutex(State())

    func send(_ value: Value) {
        let ready = state.withLock { state -> CheckedContinuation<[Value], any Error>? in
            state.values.append(value)
            guard let waiter = state.waiter, state.values.count >= waiter.count else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        ready?.resume(returning: values)
    }

    var values: [Value] { state.withLock { $0.values } }

    /// The first value.
    func first() async throws -> Value {
        try await atLeast(1)[0]
    }

    /// All values, when there are so many.
    @discardableResult
    func atLeast(_ count: Int) async throws -> [Value] {
        let alarm = Task { [self] in
            try await Task.sleep(for: hangGuard)
            state.withLock { $0.waiter.take() }?.continuation.resume(throwing: Overdue())
        }
        defer { alarm.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            let ready = state.withLock { state -> [Value]? in
                if state.values.count >= count { return state.values }
                state.waiter = (count, continuation)
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}

/// Returns when a condition holds, for conditions without a callback.
func eventually(_ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + hangGuard
    while !condition() {
        guard ContinuousClock.now < deadline else { throw Signal<Void>.Overdue() }
        await Task.yield()
    }
}

extension Signal<Void> {
    func send() { send(()) }
}
