import CloudModel
import Telemetry
import Timing

/// The time of day as a sender counts it: the machine's at its start, and from then on the clock of pauses, so that a
/// leap of the machine's changes nothing.
struct SenderClock: Sendable {
    private let start: Int64
    private let began = Time.now

    /// - Parameter start: milliseconds since 1970 UTC.
    init(start: Int64 = WallClock.milliseconds) { self.start = start }

    /// The time.
    var now: Timestamp { Timestamp(milliseconds: start + (Time.now - began).milliseconds) }
}
