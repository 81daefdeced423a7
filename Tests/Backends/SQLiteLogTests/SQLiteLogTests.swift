import EventLog
import SQLite
import SQLiteLog
import TestSupport
import Testing

@Suite struct SQLiteLogTests {
    let folder = TemporaryFolder()

    private func open() throws -> SQLiteLog {
        try SQLiteLog(SQLiteConfiguration(path: folder.path("log.sqlite"), isDurable: false))
    }

    @Test(arguments: LogConformance.checks)
    func conforms(_ check: LogConformance.Check) async throws { try await check.run(on: open()) }

    @Test func everythingIsThereWhenTheFileIsOpenedAgain() async throws {
        let name = TopicName("t")
        let partition = TopicPartition(name)
        let first = try open()
        _ = try await first.createTopics([
            TopicSpecification(name: name, partitions: 1, cleanup: .compact, messageBytesMax: 1000, isSource: true)
        ])
        let incarnation = try await first.describeTopics([name])[name]?.incarnation
        try await first.makeWriter().append((0..<5).map { OutgoingEntry(partition, "\($0)") })
        try await first.truncate([partition: 5])
        let identity = try await first.identity()
        await first.close()
        let second = try open()
        #expect(try await second.identity() == identity)
        #expect(try await second.describeTopics([name])[name]?.incarnation == incarnation)
        try await second.makeWriter().append([OutgoingEntry(partition, "5")])
        #expect(try await second.follow(partition, from: 5).entries(1).map(\.offset) == [5])
    }

    @Test func retentionRemovesOldAndCompactionReplacedEntries() async throws {
        let log = try open()
        let kept = TopicPartition(TopicName("kept"))
        let compacted = TopicPartition(TopicName("compacted"))
        _ = try await log.createTopics([
            TopicSpecification(
                name: kept.topic, partitions: 1, cleanup: .delete(afterMilliseconds: 1000), messageBytesMax: 1000),
            TopicSpecification(name: compacted.topic, partitions: 1, cleanup: .compact, messageBytesMax: 1000),
        ])
        let writer = try await log.makeWriter()
        try await writer.append(
            (0..<10).map {
                OutgoingEntry(kept, key: nil, value: [$0], timestamp: LogTimestamp(milliseconds: Int64($0) * 500))
            })
        try await writer.append((0..<10).map { OutgoingEntry(compacted, "\($0)", key: $0 < 8 ? "a" : "b") })
        try await log.maintain(at: LogTimestamp(milliseconds: 5000))
        #expect(try await log.bounds(of: [kept])[kept] == OffsetBounds(start: 8, end: 10))
        #expect(try await log.follow(compacted, from: 0).entriesToEnd().map(\.text) == ["7", "9"])
        try await log.maintain(at: LogTimestamp(milliseconds: 500_000))
        #expect(try await log.bounds(of: [kept])[kept] == OffsetBounds(start: 10, end: 10))
    }

    @Test func aRemovalIsForgottenAfterADayAndThePartitionsEndStays() async throws {
        let log = try open()
        let partition = TopicPartition(TopicName("compacted"))
        _ = try await log.createTopics([
            TopicSpecification(name: partition.topic, partitions: 1, cleanup: .compact, messageBytesMax: 1000)
        ])
        let time = LogTimestamp(milliseconds: 1000)
        let writer = try await log.makeWriter()
        for key in ["a", "b"] {
            try await writer.append([
                OutgoingEntry(partition, key: Array(key.utf8), value: [1], timestamp: time),
                OutgoingEntry(partition, key: Array(key.utf8), value: nil, timestamp: time),
            ])
        }
        try await log.maintain(at: LogTimestamp(milliseconds: 2000))
        #expect(try await log.follow(partition, from: 0).entriesToEnd().map(\.offset) == [1, 3])
        try await log.maintain(at: LogTimestamp(milliseconds: 2 * 86_400_000))
        #expect(try await log.follow(partition, from: 0).entriesToEnd().map(\.offset) == [3])
        #expect(try await log.bounds(of: [partition])[partition]?.end == 4)
    }

    @Test("a file of the first format is given an identity, once") func aFileOfTheFirstFormat() async throws {
        let log = try open()
        let made = try await log.identity()
        await log.close()
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("log.sqlite")))
        try connection.execute(
            "DROP TABLE log; ALTER TABLE entries DROP COLUMN appended; PRAGMA user_version = 1")
        let upgraded = try open()
        let identity = try await upgraded.identity()
        #expect(!identity.isEmpty && identity != made)
        await upgraded.close()
        let again = try open()
        #expect(try await again.identity() == identity)
        await again.close()
    }

    @Test("entries of an earlier format have the time of their event, later ones that of their append as well")
    func timesOfAnEarlierFormat() async throws {
        let partition = TopicPartition(TopicName("t"))
        let event = LogTimestamp(milliseconds: 5)
        func append(_ value: UInt8, to log: SQLiteLog) async throws {
            try await log.makeWriter().append([OutgoingEntry(partition, key: nil, value: [value], timestamp: event)])
        }
        let log = try open()
        _ = try await log.createTopics([
            TopicSpecification(
                name: partition.topic, partitions: 1, cleanup: .delete(afterMilliseconds: 1000), messageBytesMax: 1000)
        ])
        try await append(1, to: log)
        await log.close()
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("log.sqlite")))
        try connection.execute("ALTER TABLE entries DROP COLUMN appended; PRAGMA user_version = 2")
        for value in 2...3 as ClosedRange<UInt8> {
            let upgraded = try open()
            try await append(value, to: upgraded)
            await upgraded.close()
        }
        let again = try open()
        let entries = try await again.follow(partition, from: 0).entriesToEnd()
        #expect(entries.map(\.value) == [[1], [2], [3]] && entries.allSatisfy { $0.timestamp == event })
        #expect(entries[0].appended == event)
        #expect(entries.dropFirst().allSatisfy { $0.appended > LogTimestamp(milliseconds: 1_700_000_000_000) })
        // Retention goes by the event.
        try await again.maintain(at: LogTimestamp(milliseconds: 2000))
        #expect(try await again.bounds(of: [partition])[partition] == OffsetBounds(start: 3, end: 3))
        await again.close()
    }

    @Test func aFileOfALaterVersionIsRefused() async throws {
        let log = try open()
        await log.close()
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("log.sqlite")))
        try connection.execute("PRAGMA user_version = 99")
        let failure = #expect(throws: SQLiteError.self) { _ = try open() }
        #expect(failure?.message.contains("format 99") == true)
    }
}
