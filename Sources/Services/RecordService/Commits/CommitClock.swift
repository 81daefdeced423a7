import CloudModel
import Telemetry
import Waiting

/// Gives commits their times: none is below the one before, whatever the machine's clock does. A leap of the clock is
/// logged.
package final class CommitClock: Sendable {
    /// Settings of operators.
    package struct Options: Hashable, Sendable {
        /// A larger leap of the clock is logged.
        package var leapMax = Duration.seconds(86_400)
        /// A Boolean that refuses commits for as long as the clock stands where it leapt to.
        package var refusesLeaps = false

        package init() {}
    }

    static let leaps = Counter(
        "fanfare_record_service_clock_leaps_total", "Leaps of the machine's clock that were larger than the setting.")

    /// The readings by which a leap is found: pure.
    struct Leaps {
        /// The wall clock and a monotonic clock at the last commit; nil before the first one of the process.
        private var anchor: (wall: Int64, steady: Int64)?

        /// Returns the size of a leap of the wall clock; 0 if there is none. Before the first commit of a process only
        /// the store's last commit can be compared with, so downtime looks like a leap ahead.
        func leap(wall: Int64, steady: Int64, last: Int64, max limit: Int64) -> Int64 {
            let expected = anchor.map { $0.wall + (steady - $0.steady) } ?? (last == 0 ? wall : last)
            return abs(wall - expected) > limit ? wall - expected : 0
        }

        /// Takes the clocks as they are for right.
        mutating func accept(wall: Int64, steady: Int64) { anchor = (wall, steady) }
    }

    private let leapMax: Int64
    private let refusesLeaps: Bool
    private let steady: @Sendable () -> Duration
    private let state = BusyMutex(Leaps())

    /// - Parameter steady: a clock that only goes forward; the machine's own unless a test drives one.
    package init(_ options: Options = Options(), steady: (@Sendable () -> Duration)? = nil) {
        leapMax = options.leapMax.milliseconds
        refusesLeaps = options.refusesLeaps
        let began = ContinuousClock.now
        self.steady = steady ?? { ContinuousClock.now - began }
    }

    /// The clocks as a commit reads them.
    struct Reading: Sendable {
        /// The time of the commit.
        let time: Timestamp
        fileprivate let wall: Timestamp
        fileprivate let steady: Int64
        fileprivate let last: Timestamp
        fileprivate let leap: Int64
    }

    /// A commit that is refused for a leap.
    struct Refusal: Error {
        fileprivate let reading: Reading

        /// The answer to a request.
        var error: CloudError {
            CloudError(
                .tryAgainLater,
                "the service's clock has leapt by \(reading.leap / 1000) seconds since the last commit; nothing is saved until it is right",
                retryAfterSeconds: 60)
        }
    }

    /// Reads the clocks for a commit: has no effect, so that a closure which runs again reads them again.
    /// - Parameters:
    ///   - wall: the machine's clock.
    ///   - last: the time of the commit before.
    /// - Throws: `Refusal` where leaps are refused.
    func read(_ wall: Timestamp, after last: Timestamp) throws(Refusal) -> Reading {
        let steady = steady().milliseconds
        let leap = state.withLock {
            $0.leap(wall: wall.milliseconds, steady: steady, last: last.milliseconds, max: leapMax)
        }
        let reading = Reading(time: max(wall, last), wall: wall, steady: steady, last: last, leap: leap)
        if leap != 0, refusesLeaps { throw Refusal(reading: reading) }
        return reading
    }

    /// Takes over the clocks of a commit that is done.
    func accept(_ reading: Reading) {
        state.withLock { $0.accept(wall: reading.wall.milliseconds, steady: reading.steady) }
        if reading.leap != 0 { report(reading) }
    }

    /// Reports a refused commit.
    func note(_ refusal: Refusal) { report(refusal.reading) }

    private func report(_ reading: Reading) {
        Self.leaps.increment()
        Log.error(
            "clock.leapt",
            [
                "seconds": reading.leap / 1000, "last": reading.last.iso8601, "clock": reading.wall.iso8601,
                "refused": "\(refusesLeaps)",
            ])
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
