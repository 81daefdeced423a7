import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import Stages
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// Stage 1 delivers the backfills of subscriptions: whole, named, each partition's share followed by its mark.
@Suite struct BackfillStageTests {
    private static let layout = SubscriptionHistory.layout

    @Test("the place of a time is found beside retried changes, which come after later ones")
    func search() async throws {
        let log = MemoryLog()
        try await log.requireTopics(Self.layout.fixedTopics)
        let partition = TopicPartition(Self.layout.changes(.public), 0)
        let count: Int64 = 10_000
        func entry(_ sequence: Int64, as name: SourceID? = nil) -> OutgoingEntry {
            var event = ChangeEvent(
                SubscriptionHistory.change(sequence, number: 1, after: 0), store: SubscriptionHistory.store)
            if let name { event.source = SourcePositionMessage(SourcePosition(source: name, offset: sequence)) }
            return OutgoingEntry(
                partition, key: [1], value: event.encoded(), timestamp: LogTimestamp(milliseconds: 1))
        }
        let retry = SourceID(origin: "retry", incarnation: 1, partition: 0)
        try await log.withWriter { writer in
            for sequence in 1...count {
                try await writer.append([entry(sequence)])
                // Where a search looks first.
                if sequence == count / 2 { try await writer.append([entry(1, as: retry)]) }
            }
        }
        let search = PastSearch(log: log, partition: partition)
        for time: Int64 in [1, 900, 4000, 4999, 5000, 5001, 9000] {
            let offset = try await search.offset(of: Timestamp(milliseconds: time))
            #expect(offset < time, "\(time)")
        }
    }

    @Test("an open backfill starts again in a recreated topic, and is not repeated where it is over")
    func positionsInRecreatedTopics() async throws {
        try await within {
            var relay = try await PastRelay()
            for sequence: Int64 in 1...20 { try await relay.change(sequence, number: 5) }
            try await relay.publish(PastRelay.saved("s", at: 21, from: 0))
            let log = relay.log
            let stage = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            let partition = TopicPartition(Self.layout.changes(.public), 0)
            let group = SubscriptionMatcher.group(Self.layout)
            var committed = try await answer("the commit of a share") {
                let position = try await log.positions(of: group, [partition])[partition]
                return position?.seen.keys.contains { $0.origin == SourceID.pastDoneOrigin } == true ? position : nil
            }
            stage.cancel()
            await stage.value
            // The next one is half delivered.
            let underWay = SourceID(origin: "past.at", incarnation: 30, partition: 0)
            _ = committed.advance(to: SourcePosition(source: underWay, offset: 1_000_000))
            let restarted = PartitionPosition.restarted(from: 0, committed)
            #expect(restarted.seen[underWay] == nil)
            #expect(restarted.seen.keys.contains { $0.origin == SourceID.pastDoneOrigin })
            #expect(PartitionPosition.live(of: committed).seen.keys.allSatisfy { !$0.origin.hasPrefix("past.") })
        }
    }

    @Test("a backfill has the changes since its time and before the subscription, through failures", arguments: 1...8)
    func past(seed: UInt64) async throws {
        try await within {
            var random = SeededGenerator(seed: seed)
            var relay = try await PastRelay()
            let failing = Set((0..<6).map { _ in Int.random(in: 1...20, using: &random) })
            let log = FailingLog(relay.log, failing: { failing.contains($0) ? .partWay(1) : nil })
            let first = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            var events: [SubscriptionHistory.Event] = []
            var sequence: Int64 = 0
            for step in 0..<120 {
                sequence += 1
                if step % 30 == 29 {
                    let event = PastRelay.saved(
                        "s\(step)", at: sequence, from: Int64.random(in: 0...sequence, using: &random),
                        above: Int64.random(in: 0..<6, using: &random))
                    events.append(event)
                    try await relay.publish(event)
                    sequence += Int64(Self.layout.partitions)
                } else {
                    try await relay.change(sequence, number: Int64.random(in: 0..<8, using: &random))
                    if Int.random(in: 0..<8, using: &random) == 0 {
                        try await relay.publish(relay.changes.randomElement(using: &random)!)
                    }
                }
                if step == 70 { first.cancel() }
            }
            let second = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            for event in events {
                try await relay.untilMarked(event.sequence)
                let subscription = event.saved!.subscription
                guard case .value(.int64(let above)) = subscription.condition.query.filters[0].operand else { continue }
                let expected = relay.changes.filter { change in
                    guard case .int64(let number)? = change.matched?.fields[FieldName(trusted: "n")] else {
                        return false
                    }
                    return change.sequence.rawValue < event.sequence && number > above
                        && change.committed >= subscription.backfill!.from
                }
                #expect(
                    try await relay.past(of: event.sequence) == expected.map(\.sequence.rawValue),
                    "seed \(seed), \(subscription.key.id)")
            }
            for task in [first, second] {
                task.cancel()
                await task.value
            }
        }
    }

    @Test("a deleted subscription gets no backfill, and its marks come all the same")
    func deleted() async throws {
        try await within {
            var relay = try await PastRelay()
            for sequence: Int64 in 1...50 { try await relay.change(sequence, number: 7) }
            let event = PastRelay.saved("s", at: 51, from: 0)
            try await relay.publish(event)
            try await relay.publish(SubscriptionHistory.Event(key: event.key, sequence: 90, saved: nil))
            let log = relay.log
            let stage = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            try await relay.untilMarked(51)
            #expect(try await relay.past(of: 51).isEmpty)
            stage.cancel()
            await stage.value
        }
    }

    @Test("a search finds the place of a time among many changes, whatever the time")
    func searchWhateverTheTime() async throws {
        try await within {
            let relay = try await PastRelay()
            let partition = TopicPartition(Self.layout.changes(.public), 0)
            let entries = (1...20_000).map { number in
                let change = SubscriptionHistory.change(Int64(number) * 10, number: 0, after: 0)
                return OutgoingEntry(
                    partition, key: nil, value: ChangeEvent(change, store: SubscriptionHistory.store).encoded(),
                    timestamp: LogTimestamp(milliseconds: 1))
            }
            try await relay.log.withWriter { try await $0.append(entries) }
            let search = PastSearch(log: relay.log, partition: partition)
            for time: Int64 in [0, 9, 10, 11, 70_003, 100_000, 199_999, 200_000, 200_001, .max] {
                let found = try await search.offset(of: Timestamp(milliseconds: time))
                // The change at offset n was committed at 10 (n + 1).
                let exact = min(20_000, max(0, (time - 1) / 10))
                #expect(found <= exact && exact - found <= 4096, "time \(time)")
            }
        }
    }

    @Test("the progress of a backfill is in the committed position, and comes back from it")
    func progress() throws {
        let partition = TopicPartition(Self.layout.changes(.public), 2)
        let committer = PositionCommitter()
        let source = SourceID.store(7)
        var live = LogPosition(offset: 10)
        _ = live.advance(to: SourcePosition(source: source, offset: 4))
        let progress = PartitionPosition(live, of: partition, committer)
        #expect(progress.live == live && progress.past.done.isEmpty && progress.past.next() == nil)
        progress.notePast { past in
            for (created, lane) in [(5, 1), (6, 2), (9, 1)] as [(Int64, UInt64)] {
                let isBegun = past.begin(CommitSequence(created), in: lane, store: 7)
                #expect(isBegun)
            }
            past.endPass(of: 2, at: CommitSequence(6), isLast: true)
            past.note(33, in: 1, end: CommitSequence(9))
            past.advance(to: LogTimestamp(milliseconds: 5 * 86_400_000))
            past.use(1000, in: 1)
        }
        var again = PartitionPosition(progress.position, of: partition, committer)
        #expect(again.live == live && again.past.done == [7: CommitSequence(4)])
        #expect(again.past.begun == [7: CommitSequence(9)] && again.past.lanes.count == 1)
        #expect(again.past.next()?.pass == .init(end: CommitSequence(9), next: 33))
        #expect(again.past.room(in: 1) == Limits.backfillBytesPerDayMax - 1000)
        again.notePast { $0.advance(to: LogTimestamp(milliseconds: 6 * 86_400_000)) }
        #expect(again.past.room(in: 1) == Limits.backfillBytesPerDayMax)
        // A leap of the log's clock stops no budget: the day after it is another one.
        again.notePast { past in
            past.advance(to: LogTimestamp(milliseconds: 7306 * 86_400_000))
            past.use(1000, in: 1)
            past.advance(to: LogTimestamp(milliseconds: 7305 * 86_400_000))
        }
        #expect(again.past.room(in: 1) == Limits.backfillBytesPerDayMax - 1000)
        again.notePast { $0.advance(to: LogTimestamp(milliseconds: 6 * 86_400_000)) }
        #expect(again.past.room(in: 1) == Limits.backfillBytesPerDayMax)
        again.notePast {
            $0.note(store: 7, of: 1)
            $0.endPass(of: 1, at: CommitSequence(9), isLast: true)
        }
        again = PartitionPosition(again.position, of: partition, committer)
        #expect(again.past.done == [7: CommitSequence(9)] && again.past.next() == nil && again.live == live)
    }

    @Test("the fullest progress fits into what Kafka keeps beside a committed offset")
    func sizeOfProgress() throws {
        let partition = TopicPartition(Self.layout.changes(.public), 11)
        var live = LogPosition(offset: .max - 1, incarnation: .max)
        for number in 0..<UInt64(LogPosition.incarnationsMax) {
            _ = live.advance(to: SourcePosition(source: .store(.max - number), offset: .max))
            let retry = SourceID(origin: SourceID.retryOrigin, incarnation: .max - number, partition: 11)
            _ = live.advance(to: SourcePosition(source: retry, offset: .max))
        }
        let progress = PartitionPosition(live, of: partition, PositionCommitter())
        progress.note(live, counted: HitRates.Start(offset: .max - 1, window: Int64(Int32.max)))
        var random = SeededGenerator(seed: 1)
        progress.notePast { past in
            past.advance(to: LogTimestamp(milliseconds: 4_000_000_000_000))
            for number in 0..<100 {
                let lane = UInt64.random(in: 0 ... .max, using: &random)
                past.use(Limits.backfillBytesPerDayMax, in: lane)
                let created = CommitSequence(.max - 1000 + Int64(number))
                if past.begin(created, in: lane, store: .max) { past.note(.max, in: lane, end: created) }
            }
            #expect(past.lanes.count == PastProgress.lanesMax && past.used.count == PastProgress.usedMax)
        }
        #expect(progress.position.metadata.utf8.count <= 4096, "\(progress.position.metadata.utf8.count)")
    }
}
