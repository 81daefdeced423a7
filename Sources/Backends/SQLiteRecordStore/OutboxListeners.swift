import Synchronization
import Timing

/// Wakes those who publish the outbox.
final class OutboxListeners: Sendable {
    /// The time after which rows that another process added are noticed at the latest.
    private static let patience = Duration.seconds(1)

    private struct State {
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    /// Calls all listeners after a commit of this process.
    func ring() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
    }

    /// A new listener, until its stream ends or is let go.
    /// - Parameter hasRows: looks for rows, which another process may have added.
    func listen(_ hasRows: @escaping @Sendable () async -> Bool) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.last += 1
            state.listeners[state.last] = continuation
            return state.last
        }
        let looking = Task {
            while true {
                do { try await Time.sleep(for: Self.patience) } catch { return }
                if await hasRows() { continuation.yield() }
            }
        }
        continuation.onTermination = { [weak self] _ in
            looking.cancel()
            self?.state.withLock { $0.listeners[number] = nil }
        }
        return stream
    }
}
