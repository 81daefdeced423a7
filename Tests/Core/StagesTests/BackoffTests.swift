import Testing

@testable import Stages

@Suite struct BackoffTests {
    @Test func pausesDoubleUpToTenSeconds() {
        var backoff = Backoff()
        let pauses = (0..<9).map { _ in backoff.pause(afterRunning: .zero) }
        #expect(pauses == [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000].map { .milliseconds($0) })
    }

    @Test func whatRanForAMinuteBeginsShortAgain() {
        var backoff = Backoff()
        for _ in 0..<5 { _ = backoff.pause(afterRunning: .seconds(60)) }
        #expect(backoff.pause(afterRunning: .seconds(61)) == .milliseconds(100))
        #expect(backoff.pause(afterRunning: .zero) == .milliseconds(200))
    }
}
