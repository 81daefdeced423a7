package import CloudModel
import Telemetry

extension Timestamp {
    /// Returns the time of day.
    @Sendable package static func wallClock() -> Timestamp { Timestamp(milliseconds: WallClock.milliseconds) }

    /// Returns the time a while later, or earlier; the last or first there is where that is out of range.
    func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (milliseconds, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isOut) = self.milliseconds.addingReportingOverflow(milliseconds + attoseconds / 1_000_000_000_000_000)
        return Timestamp(milliseconds: overflows || isOut ? (seconds < 0 ? .min : .max) : sum)
    }
}
