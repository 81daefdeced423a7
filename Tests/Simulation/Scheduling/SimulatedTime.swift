import Timing

/// A clock whose pauses last for as much of the scheduler's time as they were meant to.
struct SimulatedTime: TimeSource {
    private static let beginning = ContinuousClock.now

    /// True for the scheduler's time, false for a clock that shows the machine's.
    var isScheduled = true

    var now: ContinuousClock.Instant { isScheduled ? Self.beginning + Scheduler.shared.time : .now }

    func sleep(for duration: Duration) async throws { try await Task.sleep(for: Scheduler.shared.intended(duration)) }
}
