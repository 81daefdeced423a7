import Synchronization

/// Events for one reader, which waits for them one by one.
package final class Mailbox<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var waiting: CheckedContinuation<Event, any Error>?
        var end: (any Error)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Adds an event.
    package func put(_ event: Event) {
        let waiting = state.withLock { state -> CheckedContinuation<Event, any Error>? in
            guard state.end == nil else { return nil }
            if let waiting = state.waiting.take() { return waiting }
            state.events.append(event)
            return nil
        }
        waiting?.resume(returning: event)
    }

    /// The next event; waits for it.
    /// - Throws: the error that `end` was given, `CancellationError`.
    package func take() async throws -> Event {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Event, any Error>? in
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

    /// Ends the reader's waiting with an error once the events are taken; later events are dropped.
    package func end(_ error: any Error) {
        let waiting = state.withLock { state in
            if state.end == nil { state.end = error }
            return state.waiting.take()
        }
        waiting?.resume(throwing: error)
    }
}
