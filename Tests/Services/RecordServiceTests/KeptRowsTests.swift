import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// Published rows that the outbox keeps, and publishes again where the log has lost them.
@Suite struct KeptRowsTests {
    private static let keeping = OutboxKeeping(time: .seconds(60))

    private func relay(
        _ rig: RecordServiceRig, _ log: any EventLog, lossPause: Duration? = nil
    ) -> Task<Void, Never> {
        let relay = OutboxRelay(
            store: rig.service.store, layout: rig.service.layout, log: log, keeping: Self.keeping,
            lossPause: lossPause)
        return Task { await relay.run() }
    }

    private func untilPublished(_ rig: RecordServiceRig, _ time: ManualTime) async throws {
        try await eventually("all rows are published") {
            time.advance(by: .milliseconds(10))
            return try await rig.service.store.read { try PublishedRows.last($0) == $0.settledSequence() }
        }
    }

    private func end(_ relay: Task<Void, Never>) async {
        relay.cancel()
        await relay.value
    }

    @Test("rows are kept for the time, wait for nothing meanwhile, and come again at the next start")
    func kept() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let log = try await Relaying.log(rig.service.layout)
            let time = ManualTime()
            try await time.bound {
                _ = try await rig.service.modifyRecords(
                    (0..<3).map { .on("r\($0)", .create) }, in: .public, for: rig.alice)
                let first = relay(rig, log)
                try await untilPublished(rig, time)
                await end(first)
                #expect(try await rig.outbox().count == 3)
                #expect(
                    try await rig.service.store.read { try $0.outboxTotals(after: PublishedRows.last($0)).rows } == 0)
                #expect(try await Relaying.changes(rig.service.layout, in: log) == ["r0", "r1", "r2"])

                let second = relay(rig, log)
                try await eventually("they are published again") {
                    time.advance(by: .milliseconds(10))
                    return try await Relaying.changes(rig.service.layout, in: log).count == 6
                }
                try await eventually("the rows go once their time is over") {
                    time.advance(by: .seconds(15))
                    return try await rig.outbox().isEmpty
                }
                await end(second)
            }
        }
    }

    @Test("what a partition has lost is published again while the relay runs")
    func lost() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let log = try await Relaying.log(layout)
            let time = ManualTime()
            try await time.bound {
                _ = try await rig.service.modifyRecords(
                    (0..<3).map { .on("r\($0)", .create) }, in: .public, for: rig.alice)
                let running = relay(rig, log, lossPause: .seconds(2))
                try await untilPublished(rig, time)
                for number in 0..<layout.partitions {
                    try await log.loseTail(of: TopicPartition(layout.changes(.public), number), 3)
                }
                #expect(try await Relaying.changes(layout, in: log).isEmpty)
                try await eventually("the lost rows are published again") {
                    time.advance(by: .seconds(1))
                    return try await Relaying.changes(layout, in: log) == ["r0", "r1", "r2"]
                }
                await end(running)
            }
        }
    }

    @Test("kept rows have bounds: the oldest go first, and half of what may wait is kept at most")
    func bounds() {
        let now = ContinuousClock.now
        let keeping = OutboxKeeping(time: .seconds(60), beside: OutboxTotals(rows: 20, bytes: 2000))
        #expect(keeping.max == OutboxTotals(rows: 10, bytes: 1000))
        let whole = OutboxKeeping(time: .seconds(60), beside: OutboxTotals(rows: .max, bytes: .max))
        #expect(whole.max.bytes == Limits.keptOutboxBytesMax)

        func end(_ number: Int64) -> KeptRows.Old {
            KeptRows.Old(through: CommitSequence(number), lastSubscription: LastSubscription(after: .zero))
        }
        var kept = KeptRows(keeping)
        for number in 1...5 { kept.add(2, bytes: 100, end(Int64(number)), at: now) }
        #expect(kept.takeOld(at: now + .seconds(59)) == nil)
        kept.add(1, bytes: 100, end(6), at: now)
        #expect(kept.takeOld(at: now) == end(1))
        kept.add(1, bytes: 900, end(7), at: now + .seconds(30))
        #expect(kept.takeOld(at: now) == end(5))
        #expect(kept.takeOld(at: now + .seconds(59)) == nil)
        #expect(kept.takeOld(at: now + .seconds(89)) == end(6))
        #expect(kept.takeOld(at: now + .seconds(90)) == end(7))
        #expect(kept.takeOld(at: now + .seconds(200)) == nil)
    }

    @Test("large rows are removed in steps, so that no save waits for the removal of all of them")
    func steps() {
        let now = ContinuousClock.now
        func row(_ number: Int, _ bytes: Int?) -> OutboxRow {
            OutboxRow(
                sequence: CommitSequence(Int64(number)), destination: .changes(.private), key: [],
                value: bytes.map { [UInt8](repeating: 0, count: $0) }, time: Timestamp(milliseconds: 0))
        }
        let none = LastSubscription(after: .zero)
        /// The last rows of the steps.
        func steps(_ rows: [OutboxRow]) -> [Int64] {
            var kept = KeptRows(.none)
            kept.add(rows, after: none, at: now)
            var steps: [Int64] = []
            while let last = kept.takeOld(at: now) { steps.append(last.through.rawValue) }
            return steps
        }
        let half = KeptRows.stepBytes / 2
        #expect(steps((1...6).map { row($0, half) }) == [2, 4, 6])
        #expect(steps((1...5).map { row($0, 4 * half) }) == [1, 2, 3, 4, 5])
        // Rows without a value take time, too.
        let count = KeptRows.stepBytes / Limits.rowBytes
        #expect(steps((1...2 * count + 1).map { row($0, nil) }) == [count, 2 * count, 2 * count + 1].map(Int64.init))
        #expect(steps((1...10).map { row($0, 100) }) == [10])
        // Small readings are removed together.
        var kept = KeptRows(.none)
        for number in 1...4 { kept.add([row(number, 100)], after: none, at: now) }
        #expect(kept.takeOld(at: now)?.through == CommitSequence(4))
        #expect(kept.takeOld(at: now) == nil)
    }

    @Test("each step of the removal has the last subscription event up to its end")
    func lastEvents() {
        let now = ContinuousClock.now
        let large = [UInt8](repeating: 0, count: KeptRows.stepBytes)
        func row(_ number: Int64, _ destination: OutboxRow.Destination) -> OutboxRow {
            OutboxRow(
                sequence: CommitSequence(number), destination: destination, key: [1], value: large,
                time: Timestamp(milliseconds: 0))
        }
        var kept = KeptRows(.none)
        let before = LastSubscription(after: CommitSequence(3))
        kept.add(
            [row(5, .changes(.public)), row(6, .subscriptions), row(7, .deliveries)], after: before, at: now)
        for (through, last) in [(5, 3), (6, 6), (7, 6)] as [(Int64, Int64)] {
            let old = kept.takeOld(at: now)
            #expect(old?.through == CommitSequence(through))
            #expect(old?.lastSubscription.sequence == CommitSequence(last))
        }
        #expect(kept.takeOld(at: now) == nil)
    }

    @Test("a change names the same event when it is published again, though the row of the event is gone")
    func names() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let log = try await Relaying.log(layout)
            let time = ManualTime()
            try await time.bound {
                _ = try await rig.apply(.create(.draft("s")))
                _ = try await rig.apply(.touch("r"))
                let event = try #require(try await rig.outbox().first).sequence
                for count in 1...2 {
                    let running = relay(rig, log)
                    try await eventually("the change is published") {
                        time.advance(by: .milliseconds(10))
                        return try await Relaying.changes(layout, in: log).count == count
                    }
                    await end(running)
                    try await rig.service.store.write { try $0.removeOutbox(through: event, lastSubscription: event) }
                }
                var named: [CommitSequence] = []
                for number in 0..<layout.partitions {
                    let partition = TopicPartition(layout.changes(.public), number)
                    for entry in try await log.follow(partition, from: 0).entriesToEnd() {
                        named.append(try ChangeEvent(decoding: entry.value!).change().lastSubscription)
                    }
                }
                #expect(named == [event, event])
            }
        }
    }

    @Test("a backlog of large rows is gone after it was published, in transactions of few bytes each")
    func largeBacklog() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let log = try await Relaying.log(rig.service.layout)
            let text = FieldValue.string(String(repeating: "x", count: 900_000))
            for number in 0..<6 { _ = try await rig.apply(.on("r\(number)", .create, ["t": text])) }
            let relay = OutboxRelay(store: rig.service.store, layout: rig.service.layout, log: log)
            let running = Task { await relay.run() }
            try await eventually("the outbox is empty") { try await rig.outbox().isEmpty }
            await end(running)
            #expect(try await Relaying.changes(rig.service.layout, in: log).count == 6)
        }
    }

    @Test("the removal of a user removes the kept rows: they hold records")
    func removal() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let log = try await Relaying.log(rig.service.layout)
            _ = try await rig.apply(.on("r", .create))
            let running = relay(rig, log)
            #expect(try await rig.service.untilPublished(atMost: .seconds(600)))
            #expect(try await rig.outbox().isEmpty)
            await end(running)
        }
    }
}
