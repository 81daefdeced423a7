import CloudModel
import RecordStore
import Synchronization

/// The clock of all removals, quotas and buckets: how long the service has run, which no wrong calendar makes longer.
///
/// It goes by the machine's steady clock; the wall clock can only hold it back. It is kept in the store, and goes on from
/// there at a start. Its times are milliseconds as those of the calendar are, and say nothing about a date: they are
/// compared with each other alone (docs/decisions/0047-removals-have-a-clock-of-their-own.md).
package final class ServiceClock: Sendable {
    /// The clock and those of the machine at a look: pure.
    struct Reading: Hashable {
        private(set) var time: Int64
        private(set) var wall: Int64
        private var steady: Int64

        /// The clock at a start: it goes on from where it was noted, by what the wall clock says, up to `awayMax`.
        init(after noted: StoredClock, wall: Int64, steady: Int64) {
            let away = Self.difference(wall, noted.wall.milliseconds)
            time = noted.time.milliseconds + max(0, min(away, ServiceClock.awayMax))
            self.wall = wall
            self.steady = steady
        }

        /// Goes on by what both clocks say, up to `lookMax`. A wall clock that went back holds it for this one look.
        mutating func advance(wall: Int64, steady: Int64, lookMax: Int64) {
            let passed = min(Self.difference(steady, self.steady), Self.difference(wall, self.wall), lookMax)
            time += max(0, passed)
            self.wall = wall
            self.steady = steady
        }

        /// Clocks may say anything.
        private static func difference(_ later: Int64, _ earlier: Int64) -> Int64 {
            let (difference, isOver) = later.subtractingReportingOverflow(earlier)
            return isOver ? 0 : difference
        }
    }

    private struct State {
        var reading: Reading?
        /// The time that was noted last in the store.
        var noted: Int64?
    }

    /// Milliseconds that it advances at most for the time that no process ran, at each start.
    package static let awayMax = Int64(3_600_000)
    /// Milliseconds that it advances at most between two looks, which sweeps make every ten minutes: a machine that
    /// stood still in between was not there either.
    package static let lookMax = Int64(1_200_000)
    /// Milliseconds after which it is noted again. What a crash takes is a delay.
    private static let notingPause = Int64(60_000)

    private let steady: @Sendable () -> Duration
    private let lookMax: Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - steady: a clock that only goes forward, and not while the machine sleeps; the machine's own unless a test
    ///     drives one.
    ///   - lookMax: the longest time between two looks that counts; nil counts any.
    package init(
        steady: (@Sendable () -> Duration)? = nil, lookMax: Duration? = .milliseconds(ServiceClock.lookMax)
    ) {
        let clock = SuspendingClock()
        let began = clock.now
        self.steady = steady ?? { clock.now - began }
        self.lookMax = lookMax?.milliseconds ?? .max
    }

    /// Returns the time; nil before it is begun.
    func time(_ wall: Timestamp) -> Timestamp? {
        let steady = steady().milliseconds
        return state.withLock { state in
            state.reading?.advance(wall: wall.milliseconds, steady: steady, lookMax: lookMax)
            return state.reading.map { Timestamp(milliseconds: $0.time) }
        }
    }

    /// Returns the time, and begins the clock from the store the first time. A store that has none begins at its last
    /// commit, by whose times its rows were stamped until then.
    func time(_ wall: Timestamp, from store: some ContinuityReader) throws -> Timestamp {
        if let time = time(wall) { return time }
        let last = try store.lastCommitTime()
        let first = last.milliseconds > 0 ? last : wall
        let noted = try store.serviceClock() ?? StoredClock(time: first, wall: first)
        let steady = steady().milliseconds
        state.withLock { state in
            guard state.reading == nil else { return }
            state.reading = Reading(after: noted, wall: wall.milliseconds, steady: steady)
        }
        return time(wall) ?? first
    }

    /// Notes the time in the store, if it is a minute since it was noted.
    /// - Returns: the noted clock, for `committed`; nil for none.
    func note(in store: some ContinuityTransaction) throws -> StoredClock? {
        let due = state.withLock { state -> StoredClock? in
            guard let reading = state.reading, reading.time - (state.noted ?? .min / 2) >= Self.notingPause else {
                return nil
            }
            return StoredClock(
                time: Timestamp(milliseconds: reading.time), wall: Timestamp(milliseconds: reading.wall))
        }
        if let due { try store.noteServiceClock(due) }
        return due
    }

    /// Takes over that the transaction which noted a time was committed.
    func committed(_ noted: StoredClock?) {
        guard let noted else { return }
        state.withLock { $0.noted = max($0.noted ?? .min, noted.time.milliseconds) }
    }
}
