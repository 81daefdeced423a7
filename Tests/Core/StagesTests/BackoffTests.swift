import TestSupport
import Testing

@testable import Stages

@Suite struct BackoffTests {
    @Test func pausesDoubleUpToTenSeconds() {
        var backoff = Backoff()
        let pauses = (0..<9).map { _ in backoff.pause(afterRunning: .zero) }
        #expect(pauses == [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000].map { .milliseconds($0) })
    }

    @Test("a driver that fails runs again after each pause, by the clock of its task")
    func repetition() async throws {
        let time = ManualTime()
        let pauses: [Duration] = [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(100)]
        try await within {
            async let driver: Void = time.bound {
                await persistently(failed: { _, _ in }) {
                    let run = time.pauses.count + 1
                    if run > pauses.count { return }
                    // Before its last failure, the driver had recovered.
                    if run == pauses.count { time.advance(by: .seconds(61)) }
                    throw EndOfRun()
                }
            }
            for (number, pause) in pauses.enumerated() {
                await time.pauses(atLeast: number + 1)
                #expect(time.pauses.count == number + 1 && time.pauses.last == pause)
                time.advance(by: pause)
            }
            await driver
        }
        #expect(time.pauses == pauses)
    }

    private struct EndOfRun: Error {}

    @Test func aMinutesRunResetsTheBackoff() {
        var backoff = Backoff()
        for _ in 0..<5 { _ = backoff.pause(afterRunning: .seconds(60)) }
        #expect(backoff.pause(afterRunning: .seconds(61)) == .milliseconds(100))
        #expect(backoff.pause(afterRunning: .zero) == .milliseconds(200))
    }
}
