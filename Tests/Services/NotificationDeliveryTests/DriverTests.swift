import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// The stage itself over a log whose writers and commits fail, with members that come and go.
@Suite struct DriverTests {
    private static let layout = History.layout

    @Test(arguments: 1...4)
    func failuresAndHandoversLoseAndDoubleNothing(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let entries = History(random: random, events: 150).interleaved(&random)
        let failures = Self.failures(&random)
        try await within {
            let memory = MemoryLog()
            _ = try await memory.createTopics(Self.layout.fixedTopics)
            let log = FailingLog(memory) { failures[$0] }
            let first = Task { await NotificationDelivery(log: log, layout: Self.layout).run() }
            let second = Task { await NotificationDelivery(log: log, layout: Self.layout).run() }
            let writer = try await memory.makeWriter()
            var rest = entries[...]
            while !rest.isEmpty {
                try await writer.append(rest.prefix(20).map(Self.outgoing))
                rest = rest.dropFirst(20)
                if rest.count == 100 { first.cancel() }
                await Task.yield()
            }
            try await Self.untilDone(memory)
            first.cancel()
            second.cancel()
            for task in [first, second] { await task.value }
            #expect(log.failureCount > 0)
            try await Self.topics(memory).check(against: Oracle(entries), "seed \(seed)")
            await memory.close()
        }
    }

    @Test("hits that waited for a backfill may be the user's first")
    func aFirstNotificationThatWaited() async throws {
        try await within {
            let memory = MemoryLog()
            _ = try await memory.createTopics(Self.layout.fixedTopics)
            let user = History.users[0]
            func entry(_ source: SourceID, _ offset: Int64, _ event: DeliveryEntry.Event) -> OutgoingEntry {
                let message = DeliveryEntry(
                    source: SourcePositionMessage(SourcePosition(source: source, offset: offset)),
                    user: user.rawValue, time: offset, event: event)
                return OutgoingEntry(
                    TopicPartition(Self.layout.deliveries), key: Self.layout.userKey(user), value: message.encoded(),
                    timestamp: LogTimestamp(milliseconds: 1))
            }
            func source(_ origin: String) -> SourceID { SourceID(origin: origin, incarnation: 5, partition: 0) }
            let hits = HitsMessage(
                change: 1_001, kind: 1, recordType: "T", recordName: "r", zone: ZoneMessage(ZoneID.publicDefault),
                origin: OriginMessage(user: "other"),
                hits: [Hit(database: 1, subscription: "s", created: 1_000, kind: 0)])
            try await memory.withWriter { writer in
                try await writer.append([
                    entry(.store(77), 990, .backfillBegun(BackfillBegun(created: 1_000, partitions: 1))),
                    entry(source("changes.public"), 1_001, .hits(hits)),
                    entry(
                        source("past.public"), 1_000, .backfillShareDone(BackfillShareDone(created: 1_000))),
                ])
            }
            let stage = Task { await NotificationDelivery(log: memory, layout: Self.layout).run() }
            let journals = TopicPartition(Self.layout.journals)
            try await eventually("the notification") { try await memory.bounds(of: [journals])[journals]?.end == 1 }
            stage.cancel()
            await stage.value
        }
    }

    @Test func aBatchIsWorkedOnInStepsOfFewBytes() {
        func entry(_ offset: Int64, _ bytes: Int?) -> LogEntry {
            LogEntry(
                offset: offset, timestamp: LogTimestamp(milliseconds: 0), key: nil,
                value: bytes.map { [UInt8](repeating: 0, count: $0) }, headers: [])
        }
        let maximum = DeliveryPlan.stepBytesMax
        let sizes = [10, nil, maximum, 5, maximum / 2, maximum / 2, maximum * 3, 7]
        let steps = DeliveryPlan.steps(sizes.enumerated().map { entry(Int64($0), $1) })
        #expect(steps.map { $0.map(\.offset) } == [[0, 1, 2], [3, 4, 5], [6], [7]])
        #expect(DeliveryPlan.steps([]).isEmpty)
    }

    /// Some of the first calls fail, each in one of the ways a call can; one of the first two always, as a stage that
    /// comes late reads all there is at once and has few calls to make.
    private static func failures(_ random: inout SeededGenerator) -> [Int: FailingLog.Failure] {
        var failures: [Int: FailingLog.Failure] = [:]
        for number in 0..<4 {
            let call = Int.random(in: number == 0 ? 1...2 : 1...14, using: &random)
            failures[call] =
                switch Int.random(in: 0..<3, using: &random) {
                case 0: .before
                case 1: .partWay(Int.random(in: 0...10, using: &random))
                default: .after
                }
        }
        return failures
    }

    private static func outgoing(_ entry: LogEntry) -> OutgoingEntry {
        OutgoingEntry(
            TopicPartition(layout.deliveries), key: entry.key, value: entry.value, timestamp: entry.timestamp)
    }

    private static func untilDone(_ log: MemoryLog) async throws {
        let partition = TopicPartition(layout.deliveries)
        let end = try await log.bounds(of: [partition])[partition]!.end
        try await eventually("the end of deliveries") {
            let group = NotificationDelivery.group(layout)
            return try await log.committedPositions(of: group, [partition])[partition]?.offset == end
        }
    }

    /// All that was written: journals first, as what stage 2 writes after them refers to them.
    private static func topics(_ log: MemoryLog) async throws -> Topics {
        var topics = Topics()
        for topic in [layout.journals, layout.commands, layout.pushes] {
            let partition = TopicPartition(topic)
            for entry in try await log.follow(partition, from: 0).entriesToEnd() {
                try topics.append(
                    OutgoingEntry(partition, key: entry.key, value: entry.value, timestamp: entry.timestamp))
            }
        }
        return topics
    }
}
