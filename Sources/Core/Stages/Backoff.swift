import Timing

/// The pause before a driver that failed is run again: it doubles while failures go on.
struct Backoff {
    private static let first = Duration.milliseconds(100)
    private static let longest = Duration.seconds(10)
    /// A driver that ran for as long has recovered: pauses begin short again.
    private static let recovery = Duration.seconds(60)

    private var pause = first

    /// Returns the pause after a failure.
    /// - Parameter ran: how long the driver ran before it failed.
    mutating func pause(afterRunning ran: Duration) -> Duration {
        if ran > Self.recovery { pause = Self.first }
        defer { pause = min(pause * 2, Self.longest) }
        return pause
    }
}

/// Runs a driver until its task is cancelled: again after each failure, and after a pause that grows while failures go
/// on.
/// - Parameters:
///     - failed: called for each failure with the pause before the next try; the driver's owner logs and counts it.
///     - body: returns when there is nothing left to do.
package func persistently(
    failed: @Sendable (any Error, Duration) -> Void, _ body: @Sendable () async throws -> Void
) async {
    var backoff = Backoff()
    while !Task.isCancelled {
        let began = Time.now
        do {
            return try await body()
        } catch {
            if Task.isCancelled { return }
            let pause = backoff.pause(afterRunning: Time.now - began)
            failed(error, pause)
            try? await Time.sleep(for: pause)
        }
    }
}
