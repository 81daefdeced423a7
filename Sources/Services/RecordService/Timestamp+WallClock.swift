package import CloudModel
import Telemetry

extension Timestamp {
    /// Returns the time of day.
    @Sendable package static func wallClock() -> Timestamp { Timestamp(milliseconds: WallClock.milliseconds) }
}
