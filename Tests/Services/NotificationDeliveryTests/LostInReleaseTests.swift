import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import Poison
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// Hits that were held for a backfill are delivered completely, with any loss or poison meanwhile.
@Suite struct LostInReleaseTests {
    private static let created: Int64 = 100
    private static let held: ClosedRange<Int64> = 101...106

    /// A device, a subscription whose past ends behind some hits, and one hit after it.
    private func bench() async throws -> Bench {
        let bench = try await Bench()
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.beginPast(Self.created, of: bench.alice)
        for change in Self.held { try await bench.hit(change, of: bench.alice, created: Self.created) }
        try await bench.endPast(Self.created, of: bench.alice)
        try await bench.hit(107, of: bench.alice, created: Self.created)
        return bench
    }

    @Test("held hits are delivered once, wherever the writing of them is interrupted", arguments: 1...16)
    func interrupted(failing call: Int) async throws {
        let bench = try await bench()
        let failing = FailingLog(bench.memory) { $0 == call ? .before : nil }
        // It is read again one entry at a time, so that the release takes many steps.
        let deliveries = bench.layout.deliveries
        let log = InterceptedLog(failing, follow: { $0.topic == deliveries ? SplitFollower($1) : $1 })
        let stage = bench.start(on: log)
        try await bench.untilCommitted(10)
        // How often the stage commits beside its writing is a matter of time: the last calls may not come.
        #expect(failing.failureCount == 1 || failing.callCount < call)
        var position = LogPosition(offset: 0)
        let journal = try await bench.journal(of: bench.alice).filter { position.advance(to: $0.source!.position) }
        #expect(journal.map(\.predecessor) == [nil] + journal.dropLast().map(\.source))
        let seen = Life(user: bench.alice.rawValue, device: "phone", epoch: 1).seen(of: journal)
        #expect(Bench.short(seen) == ["registered"] + (101...107).map { "\($0)" })
        stage.cancel()
        await stage.value
    }

    @Test("an entry that was set aside is not delivered with the held ones, but once, after its retry")
    func entriesSetAsideAreDeliveredOnce() async throws {
        let bench = try await bench()
        try await withPoison(bench, at: 4) { place in
            try await bench.untilCommitted(10)
            #expect(
                try await bench.contents(of: bench.alice)
                    == ["registered"] + [101, 102, 104, 105, 106, 107].map { "\($0)" })
            try await retry(place, bench)
            try await bench.untilCommitted(11)
            #expect(try await bench.contents(of: bench.alice).suffix(2) == ["107", "103"])
        }
    }

    @Test("held hits that retention removes before their backfill ends leave an entry that says so")
    func retentionIsShorterThanABackfill() async throws {
        let bench = try await Bench()
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.beginPast(Self.created, of: bench.alice)
        for change in Self.held { try await bench.hit(change, of: bench.alice, created: Self.created) }
        let first = bench.start()
        try await bench.untilCommitted(8)
        first.cancel()
        await first.value
        // The last three of the held ones stay.
        try await bench.memory.truncate([TopicPartition(bench.layout.deliveries): 5])
        try await bench.endPast(Self.created, of: bench.alice)
        try await bench.hit(107, of: bench.alice, created: Self.created)
        let second = bench.start()
        try await bench.untilCommitted(10)
        let expected = ["registered", "rest of 1"] + (104...107).map { "\($0)" }
        #expect(try await bench.contents(of: bench.alice) == expected)
        #expect(try await bench.seen(by: "phone", 1, of: bench.alice) == expected)
        second.cancel()
        await second.value
    }

    @Test("a retried hit of a backfill is delivered once while others wait")
    func aRetriedBackfillIsDeliveredOnce() async throws {
        let bench = try await Bench()
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.beginPast(Self.created, of: bench.alice)
        try await bench.hit(50, of: bench.alice, created: Self.created, isPast: true)
        try await bench.hit(101, of: bench.alice, created: Self.created)
        try await withPoison(bench, at: 2) { place in
            try await bench.untilCommitted(4)
            try await retry(place, bench)
            try await bench.endPast(Self.created, of: bench.alice)
            try await bench.hit(102, of: bench.alice, created: Self.created)
            try await bench.untilCommitted(7)
            #expect(try await bench.contents(of: bench.alice) == ["registered", "50", "101", "102"])
        }
    }

    /// Runs the stage with an entry of `deliveries` set aside.
    private func withPoison(
        _ bench: Bench, at offset: Int64, _ body: (_ place: PoisonPlace) async throws -> Void
    ) async throws {
        let layout = bench.layout
        let ledger = PoisonLedger(log: bench.memory, layout: layout, marks: nil, now: { Timestamp(milliseconds: 1) })
        let incarnation = try #require(
            try await bench.memory.describeTopics([layout.deliveries])[layout.deliveries]?.incarnation)
        let place = PoisonPlace(
            stage: .deliver, topic: layout.shortName(layout.deliveries), incarnation: incarnation, partition: 0,
            offset: offset)
        try await ledger.noteUnreadable(place, "the test wants it so")
        let following = Task { await ledger.run() }
        try await ledger.waitUntilReady()
        let stage = bench.start(poison: ledger)
        try await body(place)
        for task in [stage, following] {
            task.cancel()
            await task.value
        }
    }

    private func retry(_ place: PoisonPlace, _ bench: Bench) async throws {
        let table = try await PoisonLedger.table(on: bench.memory, bench.layout)
        let outcome = try await PoisonLedger.retry(
            place, in: table, on: bench.memory, bench.layout, at: Timestamp(milliseconds: 2))
        #expect(outcome == .appended)
    }
}
