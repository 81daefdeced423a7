/// The clock of pauses, deadlines and ages. It is the machine's, unless a test binds another one to its task: child tasks
/// and `Task {}` inherit it, threads and detached tasks do not, and take `source` along.
package enum Time {
    /// The bound clock.
    @TaskLocal package static var source: any TimeSource = MachineTime()

    /// The present moment of the bound clock.
    package static var now: ContinuousClock.Instant { source.now }

    /// Pauses for a duration of the bound clock.
    /// - Throws: `CancellationError`.
    package static func sleep(for duration: Duration) async throws { try await source.sleep(for: duration) }

    /// Pauses until a moment of the bound clock.
    /// - Throws: `CancellationError`.
    package static func sleep(until moment: ContinuousClock.Instant) async throws {
        try await source.sleep(for: moment - now)
    }
}

/// A clock.
package protocol TimeSource: Sendable {
    /// The present moment; comparable with moments of the same clock only.
    var now: ContinuousClock.Instant { get }

    /// Pauses for a duration.
    /// - Throws: `CancellationError`.
    func sleep(for duration: Duration) async throws
}

/// The machine's monotonic clock.
private struct MachineTime: TimeSource {
    var now: ContinuousClock.Instant { .now }

    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
