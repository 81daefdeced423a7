import CloudModel
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordService

/// Times of commits never go back, and a clock that leaps is found.
@Suite struct CommitClockTests {
    private static let day: Int64 = 86_400_000

    private final class Steady: Sendable {
        let milliseconds = Mutex<Int64>(0)
        var clock: @Sendable () -> Duration { { .milliseconds(self.milliseconds.withLock { $0 }) } }
        func move(by milliseconds: Int64) { self.milliseconds.withLock { $0 += milliseconds } }
    }

    private static func clock(_ steady: Steady, refuses: Bool) -> CommitClock {
        var options = CommitClock.Options()
        options.refusesLeaps = refuses
        return CommitClock(options, steady: steady.clock)
    }

    private static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    @Test func timesNeverGoBack() throws {
        let clock = Self.clock(Steady(), refuses: false)
        #expect(try clock.time(Self.time(1000), after: Self.time(0)) == Self.time(1000))
        #expect(try clock.time(Self.time(400), after: Self.time(1000)) == Self.time(1000))
        #expect(try clock.time(Self.time(1001), after: Self.time(1000)) == Self.time(1001))
        // A board without a battery boots in 1970.
        let late = Self.time(1000 * Self.day)
        #expect(try clock.time(Self.time(5), after: late) == late)
    }

    @Test func aRestIsNoLeap() throws {
        let steady = Steady()
        let clock = Self.clock(steady, refuses: true)
        let start = 100 * Self.day
        #expect(try clock.time(Self.time(start), after: Self.time(start)) == Self.time(start))
        steady.move(by: 10 * Self.day)
        let later = Self.time(start + 10 * Self.day)
        #expect(try clock.time(later, after: Self.time(start)) == later)
    }

    @Test(arguments: [2, -2] as [Int64]) func aLeapIsRefusedUntilTheClockIsRight(days: Int64) throws {
        let steady = Steady()
        let clock = Self.clock(steady, refuses: true)
        let start = 100 * Self.day
        let last = Self.time(start)
        _ = try clock.time(last, after: last)
        steady.move(by: 1000)
        #expect(throws: CloudError.self) { try clock.time(Self.time(start + days * Self.day), after: last) }
        #expect(throws: CloudError.self) { try clock.time(Self.time(start + days * Self.day), after: last) }
        let right = Self.time(start + 1000)
        #expect(try clock.time(right, after: last) == right)
    }

    /// A leap is logged once, and time goes on from there.
    @Test func aLoggedLeapIsAccepted() throws {
        var leaps = CommitClock.Leaps()
        leaps.accept(wall: 0, steady: 0)
        #expect(leaps.leap(wall: 3 * Self.day, steady: 5, last: 0, max: Self.day) == 3 * Self.day - 5)
        leaps.accept(wall: 3 * Self.day, steady: 5)
        #expect(leaps.leap(wall: 3 * Self.day + 10, steady: 15, last: 0, max: Self.day) == 0)
    }

    /// At a start the store's last commit is what there is to compare with.
    @Test func aStartInThePastIsALeap() throws {
        let clock = Self.clock(Steady(), refuses: true)
        #expect(throws: CloudError.self) { try clock.time(Self.time(5), after: Self.time(100 * Self.day)) }
        #expect(try clock.time(Self.time(5), after: Self.time(0)) == Self.time(5))
    }

    /// Commits of a service: the store remembers the last time, also for the next process.
    @Test func theStoreRemembersTheTime() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("a", .create))
        let first = rig.now
        rig.move(by: .seconds(-3600))
        _ = try await rig.apply(.on("b", .create))
        let times = try await rig.changes().map(\.committed)
        #expect(times == [first, first])
        #expect(try await rig.service.store.read { try $0.lastCommitTime() } == first)
    }

    /// A closure may run again, and reading the clocks again does not take a leap for the time that was before.
    @Test("a reading that no commit follows changes nothing")
    func aReadingHasNoEffect() throws {
        let steady = Steady()
        let clock = Self.clock(steady, refuses: true)
        let start = Self.time(100 * Self.day)
        clock.accept(try clock.read(start, after: start))
        let leapt = Self.time(103 * Self.day)
        for _ in 0..<2 { #expect(throws: CommitClock.Refusal.self) { try clock.read(leapt, after: start) } }
        steady.move(by: 3 * Self.day)
        _ = try clock.read(leapt, after: start)
        steady.move(by: -3 * Self.day)
        #expect(throws: CommitClock.Refusal.self, "the reading was not accepted") {
            try clock.read(leapt, after: start)
        }
    }
}

extension CommitClock {
    /// The time of a commit that is done, or refused.
    fileprivate func time(_ wall: Timestamp, after last: Timestamp) throws -> Timestamp {
        do {
            let reading = try read(wall, after: last)
            accept(reading)
            return reading.time
        } catch {
            note(error)
            throw error.error
        }
    }
}
