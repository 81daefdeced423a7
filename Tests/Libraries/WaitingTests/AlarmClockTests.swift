import Synchronization
import Testing
import Waiting

struct AlarmClockTests {
    /// Calls come in the order of their times, whatever the order in which they were asked for, and not before.
    @Test func callsComeWhenTheirTimeHas() async throws {
        let clock = AlarmClock()
        let began = ContinuousClock.now
        let (calls, continuation) = AsyncStream<(Int, Duration)>.makeStream()
        for milliseconds in [1000, 0, 500] {
            _ = clock.call(after: .milliseconds(milliseconds)) {
                continuation.yield((milliseconds, ContinuousClock.now - began))
            }
        }
        var heard: [Int] = []
        for await (milliseconds, passed) in calls.prefix(3) {
            heard.append(milliseconds)
            #expect(passed >= .milliseconds(milliseconds))
        }
        #expect(heard == [0, 500, 1000])
    }

    @Test func callThatIsTakenBackDoesNotCome() async throws {
        let clock = AlarmClock()
        let heard = Mutex<[String]>([])
        let alarm = clock.call(after: .seconds(1)) { heard.withLock { $0.append("taken back") } }
        clock.cancel(alarm)
        // Once more is harmless.
        clock.cancel(alarm)
        await withCheckedContinuation { continuation in
            _ = clock.call(after: .milliseconds(1200)) { continuation.resume() }
        }
        #expect(heard.withLock { $0 }.isEmpty)
    }

    /// The clock rests while nobody waits, and goes on.
    @Test func clockIsUsedAgain() async throws {
        let clock = AlarmClock()
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in
                _ = clock.call(after: .zero) { _ = clock.call(after: .zero) { continuation.resume() } }
            }
        }
    }
}
