/// The patience of a caller, which a configuration sets for all requests of a task.
enum CallSettings {
    /// The seconds that one request may take; nil leaves it to the request.
    @TaskLocal static var requestSeconds: Double?
}

/// The pauses between the attempts at one request: longer each time, of random length, never shorter than the service
/// asks for. A value without a clock.
struct RetrySchedule {
    private var attemptsLeft: Int
    private let pauseSecondsMax: Double
    private var seconds = 0.2

    init(attemptsMax: Int, pauseSecondsMax: Double) {
        attemptsLeft = attemptsMax
        self.pauseSecondsMax = pauseSecondsMax
    }

    /// The pause before the next attempt; nil if there is to be none.
    /// - Parameter retryAfter: the seconds that the service asks to wait.
    mutating func pause(retryAfter: Double?, using generator: inout some RandomNumberGenerator) -> Duration? {
        attemptsLeft -= 1
        guard attemptsLeft > 0, (retryAfter ?? 0) <= pauseSecondsMax else { return nil }
        let jitter = Double.random(in: 0.5...1.5, using: &generator)
        defer { seconds = min(seconds * 2, 5) }
        return .seconds(max(retryAfter ?? 0, 0) + seconds * jitter)
    }
}
