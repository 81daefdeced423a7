import Synchronization

/// Events for one reader, which waits for them one by one.
package final class Mailbox: Sendable {
    private struct State {
        var events: [MembershipEvent] = []
        var waiting: CheckedContinuation<MembershipEvent, any Error>?
        var end: LogError?
    }

    private let state = Mutex(State())

    package init() {}

    /// Adds an event.
    package func put(_ event: MembershipEvent) {
        let waiting = state.withLock { state -> CheckedContinuation<MembershipEvent, any Error>? in
            guard state.end == nil else { return nil }
            if let waiting = state.waiting.take() { return waiting }
            state.events.append(event)
            return nil
        }
        waiting?.resume(returning: event)
    }

    /// The next event; waits for it.
    /// - Throws: `LogError.closed`, `CancellationError`.
    package func take() async throws -> MembershipEvent {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<MembershipEvent, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if !state.events.isEmpty { return .success(state.events.removeFirst()) }
                    if let end = state.end { return .failure(end) }
                    state.waiting = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.waiting.take() }?.resume(throwing: CancellationError())
        }
    }

    /// Ends the reader's waiting once the events are taken.
    package func close() { fail(.closed) }

    /// Ends the reader's waiting once the events are taken, with an error.
    package func fail(_ error: LogError) {
        let waiting = state.withLock { state in
            if state.end == nil { state.end = error }
            return state.waiting.take()
        }
        waiting?.resume(throwing: error)
    }
}
