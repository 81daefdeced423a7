import Foundation

/// The pauses of an engine that syncs by itself, while its syncs fail: longer each time, of random length. A value
/// without a clock.
struct SyncBackoff: Sendable {
    /// The longest pause, before chance, that is not the service's wish.
    static let pauseSecondsMax = 64.0
    private var seconds = 1.0

    /// Notes a success.
    mutating func reset() { seconds = 1 }

    /// Notes a failure.
    /// - Returns: the pause before the next sync, not shorter than the service asks for.
    mutating func pause(after error: CKError, using generator: inout some RandomNumberGenerator) -> Duration {
        defer { seconds = min(seconds * 2, Self.pauseSecondsMax) }
        let parts = (error.details.partialErrors ?? []).compactMap { CKError($0.error).retryAfterSeconds }
        let asked = max(error.retryAfterSeconds ?? 0, parts.max() ?? 0)
        return .seconds(asked + seconds * Double.random(in: 0.5...1.5, using: &generator))
    }
}
