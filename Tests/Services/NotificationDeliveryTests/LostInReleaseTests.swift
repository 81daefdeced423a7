import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import Stages
import Synchronization
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

    /// Has `deliveries` read again one entry at a time, so that a release takes many steps.
    private func slowly(
        _ log: any EventLog, _ bench: Bench, appending: @escaping @Sendable ([OutgoingEntry]) async throws -> Void,
        refuses: @escaping @Sendable (TopicName) -> LogError? = { _ in nil }
    ) -> InterceptedLog {
        let deliveries = bench.layout.deliveries
        return InterceptedLog(
            log, follow: { $0.topic == deliveries ? SplitFollower($1) : $1 }, refuses: refuses, appending: appending)
    }

    /// Returns true if one of the entries is of a change.
    private static func delivers(_ change: Int64, _ entries: [OutgoingEntry]) -> Bool {
        entries.contains { entry in
            guard case .query(let query)? = (try? FeedEntry(decoding: entry.value ?? []))?.entry else { return false }
            return query.change == change
        }
    }

    /// The changes that a new reader of the device gets: the journal up to the entry that the feed's first one names,
    /// then the feed; repeats dropped.
    private func read(_ bench: Bench) async throws -> [Int64] {
        let feed = try #require(try await bench.entries(bench.topic("phone", 1)))
        let journal = try #require(try await bench.entries(bench.layout.journal(bench.alice)))
        guard case .registered(let mark)? = feed.first?.entry else {
            Issue.record("the feed does not begin with a registration")
            return []
        }
        var changes: [Int64] = []
        var position = LogPosition(offset: 0)
        for entry in journal {
            guard let named = mark.journal?.position, !entry.source!.position.isAbove(named) else { break }
            if position.advance(to: entry.source!.position), case .query(let query)? = entry.entry {
                changes.append(query.change)
            }
        }
        for entry in feed where position.advance(to: entry.source!.position) {
            if case .query(let query)? = entry.entry { changes.append(query.change) }
        }
        return changes
    }

    @Test(
        "a feed that disappears is recreated with its first entry, wherever its writer is interrupted",
        arguments: 1...16)
    func aFeedGoes(failing call: Int) async throws {
        let bench = try await bench()
        let phone = bench.topic("phone", 1)
        let isGone = Atomic(false)
        let failing = FailingLog(bench.memory) { $0 == call ? .before : nil }
        let log = slowly(
            failing, bench,
            appending: { entries in
                // Some of the held hits are delivered by then.
                guard Self.delivers(103, entries), !isGone.exchange(true, ordering: .relaxed) else { return }
                _ = try await bench.memory.deleteTopics([phone])
            })
        let stage = bench.start(on: log)
        try await bench.untilCommitted(10)
        let wasLost = isGone.load(ordering: .relaxed)
        #expect(wasLost)
        // How often the stage commits beside its writing is a matter of time: the last calls may not come.
        #expect(failing.failureCount == 1 || failing.callCount < call)
        #expect(try await read(bench) == Array(101...107))
        stage.cancel()
        await stage.value
    }

    @Test("a feed that goes meanwhile and that the log does not make again is its device's trouble alone")
    func aFeedIsRefused() async throws {
        let bench = try await bench()
        let phone = bench.topic("phone", 1)
        let isGone = Atomic(false)
        let log = slowly(
            bench.memory, bench,
            appending: { entries in
                guard Self.delivers(103, entries), !isGone.exchange(true, ordering: .relaxed) else { return }
                _ = try await bench.memory.deleteTopics([phone])
            }, refuses: { $0 == phone && isGone.load(ordering: .relaxed) ? .broken("the policy forbids it") : nil })
        let stage = bench.start(on: log)
        try await bench.untilCommitted(10)
        #expect(try await bench.contents(phone) == nil)
        let journal = try #require(try await bench.contents(bench.layout.journal(bench.alice)))
        var seen: Set<String> = []
        let changes = journal.filter { seen.insert($0).inserted }
        #expect(changes == ["registered"] + (101...107).map { "\($0)" })
        stage.cancel()
        await stage.value
    }

    @Test("an entry that was set aside is not delivered with the held ones, but once, after its retry")
    func entriesSetAsideAreDeliveredOnce() async throws {
        let bench = try await bench()
        try await withPoison(bench, at: 4) { place in
            try await bench.untilCommitted(10)
            let journal = bench.layout.journal(bench.alice)
            #expect(
                try await bench.contents(journal) == ["registered"] + [101, 102, 104, 105, 106, 107].map { "\($0)" })
            try await retry(place, bench)
            try await bench.untilCommitted(11)
            #expect(try await bench.contents(journal)?.suffix(2) == ["107", "103"])
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
        for topic in [bench.layout.journal(bench.alice), bench.topic("phone", 1)] {
            #expect(try await bench.contents(topic) == expected)
        }
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
            #expect(try await bench.contents(bench.layout.journal(bench.alice)) == ["registered", "50", "101", "102"])
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
