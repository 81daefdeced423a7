import KafkaClient
import Synchronization
import TestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a handler has seen so far, for tests that wait until it has seen what they expect.
final class Observed<Value: Sendable>: Sendable {
    struct Overdue: Error, CustomStringConvertible {
        let description: String
    }

    private struct State {
        var value: Value
        var waiters: [Int: (isMet: @Sendable (Value) -> Bool, continuation: CheckedContinuation<Bool, Never>)] = [:]
        var lastWaiter = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    var value: Value { state.withLock(\.value) }

    /// Changes the value, and wakes waiting callers.
    func update(_ change: (inout Value) -> Void) {
        let met = state.withLock { state in
            change(&state.value)
            let met = state.waiters.filter { $0.value.isMet(state.value) }
            for key in met.keys { state.waiters[key] = nil }
            return met.values.map(\.continuation)
        }
        for continuation in met { continuation.resume(returning: true) }
    }

    /// Waits until the value is as expected, and returns it; throws at the deadline.
    @discardableResult
    func wait(
        for what: String, until isMet: @escaping @Sendable (Value) -> Bool
    ) async throws -> Value {
        let isInTime = await withCheckedContinuation { continuation in
            let key: Int? = state.withLock { state in
                if isMet(state.value) { return nil }
                state.lastWaiter += 1
                state.waiters[state.lastWaiter] = (isMet, continuation)
                return state.lastWaiter
            }
            guard let key else { return continuation.resume(returning: true) }
            Task {
                try? await Task.sleep(for: hangGuard)
                let late = self.state.withLock { $0.waiters.removeValue(forKey: key)?.continuation }
                late?.resume(returning: false)
            }
        }
        guard isInTime else { throw Overdue(description: "no \(what) within \(hangGuard); seen: \(value)") }
        return value
    }
}

/// Asks again and again until the answer is yes; throws at the deadline.
func eventually(
    _ what: String, _ isMet: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + hangGuard
    while try await !isMet() {
        guard ContinuousClock.now < end else {
            throw Observed<Void>.Overdue(description: "no \(what) within \(hangGuard)")
        }
        await Task.yield()
    }
}

/// Blocks the calling thread, for tests of what a slow handler causes.
enum Stall {
    static func seconds(_ count: UInt32) { sleep(count) }
}
