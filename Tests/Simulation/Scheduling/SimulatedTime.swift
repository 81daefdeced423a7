import Timing

/// The scheduler's time as a clock of pauses.
struct SimulatedTime: TimeSource {
    private static let beginning = ContinuousClock.now

    var now: ContinuousClock.Instant { Self.beginning + Scheduler.shared.time }

    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
