/// Hours of each day in which nothing is pushed.
package struct QuietHours: Hashable, Sendable {
    /// The first minute of the day, and the first one after them, which may be on the next day: 0 to 1439.
    package let from: Int
    package let to: Int

    package init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    /// The end of the hours that a time is in; nil outside of them.
    package func end(at time: Int64, by clock: DeviceClock) -> Int64? {
        guard var end = endOfStretch(time, clock) else { return nil }
        // The clock may be set within them.
        for change in clock.offsets.dropFirst().map(\.from) where change > time && change < end {
            guard let later = endOfStretch(change, clock) else { return change }
            end = later
        }
        return end
    }

    /// The same, if the clock is not set meanwhile.
    private func endOfStretch(_ time: Int64, _ clock: DeviceClock) -> Int64? {
        let local = time + clock.offset(at: time)
        let (minute, hasMinute) = Self.floored(local, Self.minute)
        let ofDay = Self.floored(minute, Self.minutesOfDay).rest
        let isQuiet = from < to ? ofDay >= from && ofDay < to : ofDay >= from || ofDay < to
        guard from != to, isQuiet else { return nil }
        return time - hasMinute + (Int64(to) - ofDay + Self.minutesOfDay) % Self.minutesOfDay * Self.minute
    }

    private static let minute: Int64 = 60_000
    private static let minutesOfDay: Int64 = 1440

    /// The quotient and the rest, which is never negative.
    private static func floored(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let rest = (number % divisor + divisor) % divisor
        return ((number - rest) / divisor, rest)
    }
}
