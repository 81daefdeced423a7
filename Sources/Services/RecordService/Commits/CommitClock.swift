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

    /// Returns the time of a commit.
    /// - Parameters:
    ///   - wall: the machine's clock.
    ///   - last: the time of the commit before.
    /// - Throws: `TRY_AGAIN_LATER` where leaps are refused.
    func time(_ wall: Timestamp, after last: Timestamp) throws(CloudError) -> Timestamp {
        let steady = steady().milliseconds
        let leap = state.withLock { state in
            let leap = state.leap(
                wall: wall.milliseconds, steady: steady, last: last.milliseconds, max: leapMax)
            if leap == 0 || !refusesLeaps { state.accept(wall: wall.milliseconds, steady: steady) }
            return leap
        }
        if leap != 0 {
            Self.leaps.increment()
            Log.error(
                "clock.leapt",
                ["seconds": leap / 1000, "last": last.iso8601, "clock": wall.iso8601, "refused": "\(refusesLeaps)"])
            if refusesLeaps {
                throw CloudError(
                    .tryAgainLater,
                    "the service's clock has leapt by \(leap / 1000) seconds since the last commit; nothing is saved until it is right",
                    retryAfterSeconds: 60)
            }
        }
        return max(wall, last)
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
