import CloudModel
import Timing

/// The pace of the backfills of one partition: `Limits.backfillBytesPerSecond` of the budget, and as many at once.
struct BackfillPace {
    private var debt = 0.0
    private var last: ContinuousClock.Instant?

    /// Counts bytes that were used, and pauses until they are due.
    mutating func take(_ bytes: Int) async throws {
        let now = Time.now
        let rate = Double(Limits.backfillBytesPerSecond)
        let elapsed = last.map { $0.duration(to: now) / .seconds(1) } ?? 0
        last = now
        debt = max(0, debt - elapsed * rate) + Double(bytes)
        guard debt > rate else { return }
        try await Time.sleep(for: .seconds((debt - rate) / rate))
    }
}
