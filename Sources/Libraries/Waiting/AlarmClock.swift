import Timing

/// Calls back after given times: one task for all callbacks, and none while there are none.
package final class AlarmClock: Sendable {
    /// A call that was asked for.
    package struct Alarm: Sendable {
        fileprivate let tick: Int
        fileprivate let number: Int
    }

    /// The steps of time: a call comes up to one late.
    private static let tick = Duration.milliseconds(50)

    private struct State {
        var calls: [Int: [Int: @Sendable () -> Void]] = [:]
        var last = 0
        var isRunning = false
    }

    private let state = BusyMutex(State())
    private let clock = Time.source
    private let start: ContinuousClock.Instant

    /// Runs on the clock that its task has now.
    package init() { start = clock.now }

    /// Calls `body` once after a while, not before, on Swift's pool; it must not block.
    package func call(after wait: Duration, _ body: @escaping @Sendable () -> Void) -> Alarm {
        let tick = tick(of: clock.now + max(wait, .zero)) + 1
        let (alarm, mustRun) = state.withLock { state in
            state.last += 1
            let alarm = Alarm(tick: tick, number: state.last)
            state.calls[alarm.tick, default: [:]][alarm.number] = body
            defer { state.isRunning = true }
            return (alarm, !state.isRunning)
        }
        // Detached: it outlives the caller, whose trace is not that of the others who wait.
        if mustRun { Task.detached { await self.run() } }
        return alarm
    }

    /// Withdraws a callback that was not called yet.
    package func cancel(_ alarm: Alarm) {
        state.withLock { state in
            state.calls[alarm.tick]?[alarm.number] = nil
            if state.calls[alarm.tick]?.isEmpty == true { state.calls[alarm.tick] = nil }
        }
    }

    /// The number of whole ticks until a moment.
    private func tick(of moment: ContinuousClock.Instant) -> Int { Int((moment - start) / Self.tick) }

    /// Calls the due callbacks at each tick, until none is left.
    private func run() async {
        while true {
            try? await clock.sleep(for: start + Self.tick * (tick(of: clock.now) + 1) - clock.now)
            let now = tick(of: clock.now)
            let (due, isLast) = state.withLock { state in
                let due = state.calls.keys.filter { $0 <= now }.sorted()
                let calls = due.flatMap { state.calls.removeValue(forKey: $0)?.values.map { $0 } ?? [] }
                if state.calls.isEmpty { state.isRunning = false }
                return (calls, state.calls.isEmpty)
            }
            for call in due { call() }
            if isLast { return }
        }
    }
}
