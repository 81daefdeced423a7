import Synchronization
import Timing

/// An answer that a caller waits for, given once: a cancelled caller stops waiting, and a later answer is dropped.
package final class Answer<Value: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Value, Never>?)
        /// Given before anybody waited.
        case given(Value)
        case taken
    }

    private let state = Mutex(State.open(nil))

    package init() {}

    /// True once an answer was given.
    package var isGiven: Bool {
        state.withLock { if case .open = $0 { false } else { true } }
    }

    /// Gives the answer; the first one counts.
    package func give(_ value: Value) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            guard case .open(let waiting) = state else { return nil }
            state = waiting == nil ? .given(value) : .taken
            return waiting
        }
        waiting?.resume(returning: value)
    }

    /// Waits for the answer, which is what `late` says when it does not come in time, cancelled or not; called once.
    package func value(within limit: Duration, late: @escaping @Sendable () -> Value) async -> Value {
        let timer = Task {
            do { try await Time.sleep(for: limit) } catch { return }
            give(late())
        }
        defer { timer.cancel() }
        return await value(grace: limit, cancelled: late)
    }

    /// Waits for the answer; called once.
    /// - Parameters:
    ///   - grace: the time for which the answer is still waited for after the task was cancelled.
    ///   - cancelled: given when that is over.
    package func value(grace: Duration = .zero, cancelled: @escaping @Sendable () -> Value) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let given = state.withLock { state -> Value? in
                    if case .given(let value) = state {
                        state = .taken
                        return value
                    }
                    state = .open(continuation)
                    return nil
                }
                if let given { continuation.resume(returning: given) }
            }
        } onCancel: {
            guard grace > .zero else { return give(cancelled()) }
            Task {
                try? await Time.sleep(for: grace)
                give(cancelled())
            }
        }
    }
}
