import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// Stage 2 on a log that was restored from copies of different moments: the journal kept more than `deliveries` and
/// `delivery-state`.
@Suite struct RestoredLogTests {
    /// The moments of the copies: each is a number of entries of `deliveries`.
    struct Moments: Sendable {
        var state: Int64
        var deliveries: Int64
        /// The runs of the repair.
        var repairs = 1
    }

    @Test(
        "each notification of before and after a restore is news once",
        arguments: [
            Moments(state: 3, deliveries: 3), Moments(state: 2, deliveries: 4), Moments(state: 0, deliveries: 0),
            Moments(state: 0, deliveries: 3), Moments(state: 2, deliveries: 2, repairs: 2),
            Moments(state: 1, deliveries: 4, repairs: 3),
        ])
    func restored(_ moments: Moments) async throws {
        try await within {
            let bench = try await Bench()
            for change in 0..<moments.state { try await bench.hit(change + 1, of: bench.alice) }
            if moments.state > 0 { try await bench.deliver(to: moments.state) }
            let copy = try await StateCopy(bench)
            for change in (moments.state + 1)...5 { try await bench.hit(change, of: bench.alice) }
            try await bench.deliver(to: 5)

            try await bench.restore(copy, deliveries: moments.deliveries)
            for _ in 0..<moments.repairs { try await bench.repair.beginGeneration() }
            #expect(try await bench.committed() == moments.state)
            for change: Int64 in 6...9 { try await bench.hit(change, of: bench.alice) }
            try await bench.deliver(to: moments.deliveries + 4)
            #expect(try await bench.news(of: bench.alice) == (1...9).map { "\($0)" })
        }
    }

    @Test("a second restore gives later notifications names that the first one did not give")
    func restoredAgain() async throws {
        try await within {
            let bench = try await Bench()
            for change: Int64 in 1...2 { try await bench.hit(change, of: bench.alice) }
            try await bench.deliver(to: 2)
            let copy = try await StateCopy(bench)
            for change: Int64 in 3...5 { try await bench.hit(change, of: bench.alice) }
            try await bench.deliver(to: 5)

            try await bench.restore(copy, deliveries: 3)
            try await bench.repair.beginGeneration()
            let later = try await StateCopy(bench)
            for change: Int64 in 6...9 { try await bench.hit(change, of: bench.alice) }
            try await bench.deliver(to: 7)

            // Of the four, `deliveries` kept two.
            try await bench.restore(later, deliveries: 5)
            try await bench.repair.beginGeneration()
            for change: Int64 in 10...12 { try await bench.hit(change, of: bench.alice) }
            try await bench.deliver(to: 8)
            #expect(try await bench.news(of: bench.alice) == (1...12).map { "\($0)" })
        }
    }

    @Test("held hits that the journal has are no news when they are released again")
    func held() async throws {
        try await within {
            let bench = try await Bench()
            try await bench.register("phone", 1, of: bench.alice)
            try await bench.beginPast(100, of: bench.alice)
            for change: Int64 in 101...102 { try await bench.hit(change, of: bench.alice, created: 100) }
            try await bench.deliver(to: 4)
            let copy = try await StateCopy(bench)
            try await bench.endPast(100, of: bench.alice)
            try await bench.hit(103, of: bench.alice, created: 100)
            try await bench.deliver(to: 6)

            try await bench.restore(copy, deliveries: 5)
            try await bench.repair.beginGeneration()
            for change: Int64 in 104...105 { try await bench.hit(change, of: bench.alice, created: 100) }
            try await bench.deliver(to: 7)
            #expect(try await bench.news(of: bench.alice) == ["registered"] + (101...105).map { "\($0)" })
        }
    }

    @Test("a state that is rebuilt after a restore gives repeated entries the names that they had")
    func rebuilt() async throws {
        try await within {
            let bench = try await Bench()
            for change: Int64 in 1...3 { try await bench.hit(change, of: bench.alice) }
            try await bench.deliver(to: 3)
            try await bench.repair.beginGeneration()
            for change: Int64 in 4...5 { try await bench.hit(change, of: bench.alice) }
            try await bench.deliver(to: 5)
            #expect(try await bench.repair.rebuild() == 1)
            try await bench.hit(6, of: bench.alice)
            try await bench.deliver(to: 6)
            #expect(try await bench.news(of: bench.alice) == (1...6).map { "\($0)" })
        }
    }

    @Test("the state of another topic, and an offset without its state, stay as they are", arguments: [false, true])
    func leftAlone(isStateLost: Bool) async throws {
        try await within {
            let bench = try await Bench()
            for change: Int64 in 1...2 { try await bench.hit(change, of: bench.alice) }
            try await bench.deliver(to: 2)
            _ = try await bench.memory.deleteTopics([
                isStateLost ? bench.layout.deliveryState : bench.layout.deliveries
            ])
            _ = try await bench.memory.createTopics(bench.layout.fixedTopics)
            let before = try await StateCopy(bench)
            try await bench.repair.beginGeneration()
            #expect(try await StateCopy(bench) == before)
        }
    }
}

/// The state of stage 2 as it was at a moment, with its offset.
private struct StateCopy: Equatable {
    let values: [[UInt8]: [UInt8]]
    let offset: Int64?

    init(_ bench: Bench) async throws {
        let session = try await bench.memory.takeOver(NotificationDelivery.claim(0, bench.layout))
        values = session.initialState
        offset = session.initialOffset
        await session.close()
    }
}

extension Bench {
    fileprivate var repair: DeliveryRepair { DeliveryRepair(log: memory, layout: layout) }

    /// Runs the stage until an offset is committed.
    fileprivate func deliver(to offset: Int64) async throws {
        let stage = start()
        try await untilCommitted(offset)
        stage.cancel()
        await stage.value
    }

    /// Restores `delivery-state` from a copy, and takes the entries of `deliveries` from an offset on.
    fileprivate func restore(_ copy: StateCopy, deliveries end: Int64) async throws {
        let partition = TopicPartition(layout.deliveries)
        let bounds = try #require(try await memory.bounds(of: [partition])[partition])
        try await memory.loseTail(of: partition, Int(bounds.end - end))
        let session = try await memory.takeOver(NotificationDelivery.claim(0, layout))
        var changes: [[UInt8]: [UInt8]?] = copy.values.mapValues { .some($0) }
        for key in session.initialState.keys where copy.values[key] == nil { changes[key] = .some(nil) }
        try await session.commit(changes, offset: copy.offset ?? 0, at: LogTimestamp(milliseconds: 0))
        await session.close()
    }

    /// What a reader of a user's journal takes for news, in short. The entry before each of them has come.
    fileprivate func news(of user: UserRecordName) async throws -> [String] {
        var position = LogPosition(offset: 0)
        var news: [FeedEntry] = []
        for entry in try await journal(of: user) {
            let seen = position.seen
            guard position.advance(to: try #require(entry.source?.position)) else { continue }
            if let before = entry.predecessor?.position {
                #expect(seen[before.source].map { !before.isAbove($0) } == true, "\(before) is missing")
            }
            news.append(entry)
        }
        return Self.short(news)
    }
}
