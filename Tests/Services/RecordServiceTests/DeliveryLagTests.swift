import CloudMessages
import CloudModel
import EventLog
import TestSupport
import Testing

@testable import RecordService

/// How far delivery is behind, by partition, and what that does to saves.
@Suite struct DeliveryLagTests {
    private let partition = TopicPartition(TopicName("t"), 0)
    private let other = TopicPartition(TopicName("t"), 1)

    @Test("a partition is behind since the end that is not reached yet was seen")
    func lag() {
        let start = ContinuousClock.now
        func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }
        var lag = DeliveryLag()
        lag.learn(ends: [partition: 10, other: 5], done: [other: 5], at: at(0))
        #expect(lag.longest == .zero && lag.waiting.isEmpty, "the progress of one is not known")
        lag.learn(ends: [partition: 20, other: 6], done: [partition: 9, other: 5], at: at(4))
        #expect(lag.lags == [partition: .seconds(4)] && lag.waiting == [partition: 11, other: 1])
        // It has reached the end that was seen, and another one is kept.
        lag.learn(ends: [partition: 30, other: 6], done: [partition: 10, other: 5], at: at(7))
        #expect(lag.lags == [other: .seconds(3)], "the other is behind since 4 s")
        lag.learn(ends: [partition: 30, other: 6], done: [partition: 29, other: 6], at: at(9))
        #expect(lag.lags == [partition: .seconds(2)] && lag.longest == .seconds(2))
        lag.learn(ends: [partition: 30, other: 6], done: [partition: 30, other: 6], at: at(20))
        #expect(lag.longest == .zero && lag.waiting.isEmpty)
        // A recreated topic ends before the known end.
        lag.learn(ends: [partition: 40], done: [partition: 30], at: at(21))
        lag.learn(ends: [partition: 3], done: [partition: 0], at: at(90))
        #expect(lag.longest == .zero)
    }

    @Test("while a user's partition is behind by the bound, the user's saves are refused, and then go on")
    func saves() throws {
        let layout = RecordServiceRig.layout
        let (alice, bob) = (UserRecordName.sample("a"), UserRecordName.sample("b"))
        let (partition, start) = (layout.deliveries(of: alice), ContinuousClock.now)
        let watch = DeliveryWatch(bound: .seconds(60), layout: layout)
        try watch.check(alice)
        watch.learn(ends: [partition: 10], done: [:], at: start)
        try watch.check(alice)
        watch.learn(ends: [partition: 12], done: [partition: 3], at: start + .seconds(59))
        try watch.check(alice)
        watch.learn(ends: [partition: 12], done: [partition: 4], at: start + .seconds(60))
        let error = #expect(throws: CloudError.self) { try watch.check(alice) }
        #expect(error?.code == .throttled && error?.retryAfterSeconds == 5)
        try watch.check(bob)
        watch.learn(ends: [partition: 12], done: [partition: 10], at: start + .seconds(61))
        try watch.check(alice)
        let unbound = DeliveryWatch(bound: .zero, layout: layout)
        unbound.learn(ends: [partition: 10], done: [:], at: start)
        unbound.learn(ends: [partition: 10], done: [:], at: start + .seconds(9_999_999))
        try unbound.check(alice)
    }

    @Test("a partition of deliveries in which too many entries wait refuses what fans out, whatever its lag")
    func backlog() throws {
        let layout = RecordServiceRig.layout
        let watch = DeliveryWatch(bound: .seconds(60), layout: layout)
        let full = TopicPartition(layout.deliveries, 2)
        func check(_ database: DatabaseScope, _ number: Int32) throws {
            try watch.check([DeliveryWatch.ChangePartition(database: database, number: number)])
        }
        for (done, isFull) in [(7, true), (8, false), (nil, false)] as [(Int64?, Bool)] {
            let end = Limits.deliveryBacklogMax + 7
            watch.learn(ends: [full: Int64(end)], done: done.map { [full: $0] } ?? [:], at: .now)
            for database in [DatabaseScope.public, .shared] {
                if isFull {
                    #expect(throws: CloudError.self) { try check(database, 1) }
                } else {
                    try check(database, 1)
                }
            }
            // The hits of a private database go to its owner.
            try check(.private, 1)
        }
    }
}
