import CloudModel
import EventLog
import MemoryLog
import TestSupport
import Testing

@testable import RecordService

/// Backpressure: how far delivery is behind, and what that does to saves.
@Suite struct DeliveryLagTests {
    private let partition = TopicPartition(TopicName("t"), 0)
    private let other = TopicPartition(TopicName("t"), 1)

    @Test(
        "a partition is behind since the end that is not reached yet was seen, and the one that is behind most counts")
    func lag() {
        let start = ContinuousClock.now
        func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }
        var lag = DeliveryLag()
        lag.learn(ends: [partition: 10, other: 5], done: [other: 5], at: at(0))
        #expect(lag.lag == .zero)
        lag.learn(ends: [partition: 20, other: 6], done: [partition: 9, other: 5], at: at(4))
        #expect(lag.lag == .seconds(4))
        // It has reached the end that was seen, and another one is kept.
        lag.learn(ends: [partition: 30, other: 6], done: [partition: 10, other: 5], at: at(7))
        #expect(lag.lag == .seconds(3), "the other is behind since 4 s")
        lag.learn(ends: [partition: 30, other: 6], done: [partition: 29, other: 6], at: at(9))
        #expect(lag.lag == .seconds(2))
        lag.learn(ends: [partition: 30, other: 6], done: [partition: 30, other: 6], at: at(20))
        #expect(lag.lag == .zero)
        // Made anew, a topic ends before what was seen.
        lag.learn(ends: [partition: 40], done: [partition: 30], at: at(21))
        lag.learn(ends: [partition: 3], done: [partition: 0], at: at(90))
        #expect(lag.lag == .zero)
    }

    @Test("while delivery is behind by the bound, saves are told to wait, and then go on")
    func saves() throws {
        let watch = DeliveryWatch(bound: .seconds(60))
        let start = ContinuousClock.now
        try watch.check()
        watch.learn(ends: [partition: 10], done: [:], at: start)
        try watch.check()
        watch.learn(ends: [partition: 12], done: [partition: 3], at: start + .seconds(59))
        try watch.check()
        watch.learn(ends: [partition: 12], done: [partition: 4], at: start + .seconds(60))
        let error = #expect(throws: CloudError.self) { try watch.check() }
        #expect(error?.code == .throttled && error?.retryAfterSeconds == 5)
        watch.learn(ends: [partition: 12], done: [partition: 10], at: start + .seconds(61))
        try watch.check()
        let unbound = DeliveryWatch(bound: .zero)
        unbound.learn(ends: [partition: 10], done: [:], at: start)
        unbound.learn(ends: [partition: 10], done: [:], at: start + .seconds(9_999_999))
        try unbound.check()
    }
}
