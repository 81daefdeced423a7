import Synchronization

/// Calls back when times have passed: one task for all who wait, however many, and none while nobody does.
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
        /// Ticks that have passed while somebody waited.
        var now = 0
        var isRunning = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Calls `body` once after a while, on Swift's pool; it must not block.
    package func call(after wait: Duration, _ body: @escaping @Sendable () -> Void) -> Alarm {
        let (alarm, mustRun) = state.withLock { state in
            state.last += 1
            // The tick that is under way is not a whole one.
            let ticks = Int((max(wait, .zero) / Self.tick).rounded(.up)) + 1
            let alarm = Alarm(tick: state.now + ticks, number: state.last)
            state.calls[alarm.tick, default: [:]][alarm.number] = body
            defer { state.isRunning = true }
            return (alarm, !state.isRunning)
        }
        if mustRun { Task { await run() } }
        return alarm
    }

    /// Takes back what was not called yet.
    package func cancel(_ alarm: Alarm) {
        state.withLock { state in
            state.calls[alarm.tick]?[alarm.number] = nil
            if state.calls[alarm.tick]?.isEmpty == true { state.calls[alarm.tick] = nil }
        }
    }

    /// Counts ticks until nobody waits.
    private func run() async {
        let clock = ContinuousClock()
        var next = clock.now
        while true {
            next += Self.tick
            try? await clock.sleep(until: next)
            // Of a process that was stopped, all that passed meanwhile.
            var passed = 1
            while next + Self.tick <= clock.now {
                next += Self.tick
                passed += 1
            }
            let (due, isLast) = state.withLock { state in
                state.now += passed
                let due = state.calls.keys.filter { $0 <= state.now }.sorted()
                let calls = due.flatMap { state.calls.removeValue(forKey: $0)?.values.map { $0 } ?? [] }
                if state.calls.isEmpty { state.isRunning = false }
                return (calls, state.calls.isEmpty)
            }
            for call in due { call() }
            if isLast { return }
        }
    }
}
