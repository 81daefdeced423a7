/// A device's clock: its distance from UTC, and when that changes.
package struct DeviceClock: Hashable, Sendable {
    /// A distance from a time on.
    package struct Offset: Hashable, Sendable {
        /// Milliseconds since 1970 UTC. The first one of a clock is for all times before the second, too.
        package let from: Int64
        /// Minutes that the clock is ahead of UTC.
        package let minutes: Int

        package init(from: Int64, minutes: Int) {
            self.from = from
            self.minutes = minutes
        }
    }

    /// In the order of time; empty for UTC.
    package var offsets: [Offset]

    package init(offsets: [Offset] = []) { self.offsets = offsets }

    /// Milliseconds that it is ahead of UTC.
    package func offset(at time: Int64) -> Int64 {
        let present = offsets.last { $0.from <= time } ?? offsets.first
        return Int64(present?.minutes ?? 0) * 60_000
    }
}
