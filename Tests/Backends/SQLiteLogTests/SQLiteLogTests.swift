import EventLog
import SQLite
import TestSupport
import Testing

@testable import SQLiteLog

@Suite struct SQLiteLogTests {
    let folder = TemporaryFolder()

    private func open() throws -> SQLiteLog {
        try SQLiteLog(SQLiteConfiguration(path: folder.path("log.sqlite"), isDurable: false))
    }

    /// Gives the file the form of the third format.
    private func formerFile() throws -> SQLiteConnection {
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("log.sqlite")))
        try connection.execute(
            """
            ALTER TABLE entries RENAME TO later;
            CREATE TABLE entries (
                partition INTEGER NOT NULL, position INTEGER NOT NULL, time INTEGER NOT NULL, key BLOB, value BLOB,
                headers BLOB, appended INTEGER, PRIMARY KEY (partition, position)) STRICT, WITHOUT ROWID;
            INSERT INTO entries SELECT id >> 40, id & 1099511627775, time, key, value, headers, appended FROM later;
            DROP TABLE later;
            PRAGMA user_version = 3;
            """)
        return connection
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
        let connection = try formerFile()
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
        let connection = try formerFile()
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

    @Test("a file of the third format has all its entries after it was opened, each partition those of its own")
    func aFileOfTheThirdFormat() async throws {
        let log = try open()
        let partitions = (0..<3).map { TopicPartition(TopicName("t"), $0) }
        _ = try await log.createTopics([
            TopicSpecification(
                name: TopicName("t"), partitions: 3, cleanup: .delete(afterMilliseconds: 1000), messageBytesMax: 1000)
        ])
        let writer = try await log.makeWriter()
        for number in 0..<30 {
            try await writer.append([OutgoingEntry(partitions[number % 2], "\(number)", key: number < 10 ? "a" : "b")])
        }
        try await log.truncate([partitions[0]: 4])
        func state(_ log: SQLiteLog) async throws -> [[String]] {
            var found: [[String]] = []
            for partition in partitions {
                let bounds = try #require(try await log.bounds(of: [partition])[partition])
                let entries =
                    bounds.start == bounds.end
                    ? [] : try await log.follow(partition, from: bounds.start).entriesToEnd()
                found.append(
                    ["\(bounds)"]
                        + entries.map { entry in
                            "\(entry.offset) \(entry.text ?? "") \(entry.key ?? []) \(entry.timestamp) \(entry.appended)"
                        })
            }
            return found
        }
        let before = try await state(log)
        await log.close()
        _ = try formerFile()
        let again = try open()
        #expect(try await state(again) == before)
        try await again.makeWriter().append([OutgoingEntry(partitions[0], "last")])
        #expect(try await again.follow(partitions[0], from: 15).entries(1).map(\.text) == ["last"])
        #expect(try await again.bounds(of: [partitions[2]])[partitions[2]] == OffsetBounds(start: 0, end: 0))
        await again.close()
    }

    @Test("a look reads little ahead, and everything by and by")
    func looks() async throws {
        let log = try open()
        let partition = TopicPartition(TopicName("t"))
        _ = try await log.createTopics([
            TopicSpecification(
                name: partition.topic, partitions: 1, cleanup: .delete(afterMilliseconds: 1000),
                messageBytesMax: 1 << 20)
        ])
        let values = (0..<500).map { [UInt8](repeating: UInt8($0 % 256), count: $0 == 250 ? 900_000 : 1000) }
        try await log.makeWriter().append(
            values.map {
                OutgoingEntry(partition, key: nil, value: $0, timestamp: LogTimestamp(milliseconds: 1))
            })
        let look = try await log.look(partition, from: 0)
        var found: [[UInt8]] = []
        while true {
            let batch = try await look.next()
            let bytes = batch.entries.dropLast().reduce(0) { $0 + ($1.value?.count ?? 0) }
            #expect(bytes < SQLiteLog.lookBytesMax)
            found += batch.entries.compactMap(\.value)
            if batch.isAtEnd { break }
        }
        look.close()
        #expect(found == values)
        // A stage takes more at once.
        let follower = try await log.follow(partition, from: 0)
        #expect(try await follower.next().entries.count == 500)
        follower.close()
        await log.close()
    }

    @Test("the end of a partition is found, and an entry appended, without a look through large entries")
    func largeEntries() async throws {
        let log = try open()
        let partition = TopicPartition(TopicName("t"))
        _ = try await log.createTopics([
            TopicSpecification(
                name: partition.topic, partitions: 1, cleanup: .delete(afterMilliseconds: 1000),
                messageBytesMax: 1 << 20)
        ])
        let writer = try await log.makeWriter()
        for _ in 0..<20 {
            try await writer.append([
                OutgoingEntry(
                    partition, key: nil, value: [UInt8](repeating: 1, count: 500_000),
                    timestamp: LogTimestamp(milliseconds: 1))
            ])
        }
        // Pages of 4 KiB that are looked at.
        let (end, bounds) = try await log.read { connection in
            let before = connection.touchedPages
            let end = try SQLiteLog.locate(partition, connection).bounds.end
            return (end, connection.touchedPages - before)
        }
        #expect(end == 20)
        let append = try await log.write { connection, table in
            let before = connection.touchedPages
            try SQLiteLogWriter.append([OutgoingEntry(partition, "small")], connection, table)
            return connection.touchedPages - before
        }
        #expect(bounds < 20 && append < 20, "an entry has more than 100: \(bounds), \(append)")
        await log.close()
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
