import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// Stage 2 on a partition of `deliveries` that lost its last entries under the same topic.
@Suite struct LostTailTests {
    @Test(
        "hits that come after a loss are delivered once, however many there are when the stage reads on",
        arguments: [(4, 2), (4, 4), (4, 5), (8, 12), (3, 0)])
    func lost(_ lost: Int, _ later: Int) async throws {
        try await within {
            let bench = try await Bench()
            var stage = bench.start()
            for change in 1...10 { try await bench.hit(Int64(change), of: bench.alice) }
            try await bench.untilCommitted(10)
            stage.cancel()
            await stage.value

            try await bench.memory.loseTail(of: TopicPartition(bench.layout.deliveries), lost)
            // Stage 1 writes some of the lost ones again, and new ones.
            let again = max(0, later - 2)
            for change in (11 - again)..<(11 - again + later) { try await bench.hit(Int64(change), of: bench.alice) }
            stage = bench.start()
            let last = 10 + later - again
            try await eventually("the later notifications") {
                try await bench.contents(of: bench.alice).count >= max(10, last)
            }
            try await bench.untilCommitted(Int64(10 - lost + later))
            stage.cancel()
            await stage.value
            #expect(try await bench.contents(of: bench.alice) == (1...max(10, last)).map { "\($0)" })
            let names = try await bench.journal(of: bench.alice).map { $0.source!.position }
            var seen = LogPosition(offset: 0)
            #expect(names.allSatisfy { seen.advance(to: $0) }, "a reader drops no notification as a repeat")
        }
    }

    @Test("a stage that runs while entries are lost goes on before them, under names of its own")
    func lostWhileItRuns() async throws {
        try await within {
            let bench = try await Bench()
            let stage = bench.start()
            for change in 1...5 { try await bench.hit(Int64(change), of: bench.alice) }
            try await bench.untilCommitted(5)
            try await bench.memory.loseTail(of: TopicPartition(bench.layout.deliveries), 3)
            try await bench.untilCommitted(2)
            for change in 3...7 { try await bench.hit(Int64(change), of: bench.alice) }
            try await bench.untilCommitted(7)
            stage.cancel()
            await stage.value
            #expect(try await bench.contents(of: bench.alice) == (1...7).map { "\($0)" })
        }
    }

    @Test("held hits that are due at a loss come before the entry that takes the place of a lost one", arguments: 1...3)
    func lostInRelease(_ lost: Int) throws {
        let user = History.users[0]
        var machine = try PartitionDelivery(
            layout: History.layout, source: SourceID(origin: "deliveries", incarnation: 9, partition: 0), state: [:])
        var log: [LogEntry] = []
        func append(_ origin: String, _ sequence: Int64, _ event: DeliveryEntry.Event) -> LogEntry {
            let source = SourceID(origin: origin, incarnation: 1, partition: 0)
            let value = DeliveryEntry(
                source: SourcePositionMessage(SourcePosition(source: source, offset: sequence)), user: user.rawValue,
                event: event)
            let entry = LogEntry(
                offset: Int64(log.count), timestamp: LogTimestamp(milliseconds: 1), key: nil, value: value.encoded(),
                headers: [])
            log.append(entry)
            return entry
        }
        func hit(_ change: Int64, created: Int64) -> LogEntry {
            append(
                "hits.public", change,
                .hits(
                    HitsMessage(
                        change: change, kind: 1, recordType: "T", recordName: "r", zone: ZoneMessage(.publicDefault),
                        origin: OriginMessage(user: "_x"),
                        hits: [Hit(database: 1, subscription: "s\(created)", created: created)])))
        }
        _ = machine.apply([append("store", 100, .backfillBegun(BackfillBegun(created: 100, partitions: 1)))])
        for change: Int64 in 101...103 { _ = machine.apply([hit(change, created: 100)]) }
        let mark = BackfillShareDone(created: 100)
        _ = machine.apply([append("past.public", 100, .backfillShareDone(mark))])

        log.removeLast(lost)
        let next = Int64(log.count)
        _ = machine.beginHistory(at: next)
        let held = machine.dueRelease
        let due = try #require(held)
        let released = try machine.release(due, in: log[...], next: next, committed: next)
        let rest = machine.dueRelease
        #expect(rest == nil)
        let later = machine.apply([hit(200, created: 1)])
        let outputs = released.outputs.journals + later.outputs.journals
        let journal = try outputs.map { try FeedEntry(decoding: $0.value!) }
        var seen = LogPosition(offset: 0)
        let news = journal.filter { seen.advance(to: $0.source!.position) }.compactMap { entry -> Int64? in
            if case .query(let query)? = entry.entry { query.change } else { nil }
        }
        #expect(news == [Int64](101..<Int64(105 - lost)) + [200])
    }
}
