import Synchronization
import Timing

/// A clock that moves only when a test says so.
package final class ManualTime: TimeSource {
    private struct Sleeper {
        var until: ContinuousClock.Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = ContinuousClock.now
        var last = 0
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var pauses: [Duration] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let skipsPauses: Bool

    /// - Parameter skipsPauses: whether each pause ends at once and moves the clock by its duration, for tests of code
    ///   with several pauses and an end.
    package init(skipsPauses: Bool = false) { self.skipsPauses = skipsPauses }

    package var now: ContinuousClock.Instant { state.withLock(\.now) }

    /// The durations of all pauses so far, in order.
    package var pauses: [Duration] { state.withLock(\.pauses) }

    package func sleep(for duration: Duration) async throws {
        if skipsPauses {
            try Task.checkCancellation()
            return state.withLock { state in
                state.now += duration
                state.pauses.append(duration)
            }
        }
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isOver, woken) = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return (true, [CheckedContinuation<Void, Never>]()) }
                    state.pauses.append(duration)
                    state.sleepers[number] = Sleeper(until: state.now + duration, continuation: continuation)
                    return (false, Self.takeWatchers(&state))
                }
                if isOver { continuation.resume(throwing: CancellationError()) }
                for watcher in woken { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits until this many pauses have started, finished ones included.
    package func pauses(atLeast count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.pauses.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Moves the clock, and ends the pauses that are over by then.
    package func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let due = state.sleepers.filter { $0.value.until <= state.now }.sorted { $0.value.until < $1.value.until }
            for (number, _) in due { state.sleepers[number] = nil }
            return due.map(\.value.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    /// Runs `body` with this clock.
    package func bound<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await Time.$source.withValue(self) { try await body() }
    }

    /// Runs `body`, which awaits nothing, with this clock.
    package func boundNow<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Time.$source.withValue(self) { try body() }
    }

    private static func takeWatchers(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        let count = state.pauses.count
        defer { state.watchers.removeAll { $0.count <= count } }
        return state.watchers.filter { $0.count <= count }.map(\.continuation)
    }
}
