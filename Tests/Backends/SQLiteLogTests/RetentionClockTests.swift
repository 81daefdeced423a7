import EventLog
import SQLite
import TestSupport
import Testing

@testable import SQLiteLog

@Suite struct RetentionClockTests {
    private static let day: Int64 = 86_400_000
    private static let start: Int64 = 20_000 * day
    private let folder = TemporaryFolder()

    private func open() throws -> SQLiteLog {
        try SQLiteLog(SQLiteConfiguration(path: folder.path("log.sqlite"), isDurable: false))
    }

    private static func time(_ log: SQLiteLog, _ wall: Int64, after seconds: Int64?) async throws -> Int64 {
        try await log.retentionTime(
            at: LogTimestamp(milliseconds: start + wall), after: seconds.map { .seconds($0) }
        ).milliseconds - start
    }

    @Test("a wall clock that leaps ahead makes nothing older than the time that has passed")
    func leapsAhead() async throws {
        let log = try open()
        #expect(try await Self.time(log, 0, after: nil) == 0)
        #expect(try await Self.time(log, 300_000, after: 300) == 300_000)
        #expect(try await Self.time(log, 7_000 * Self.day, after: 300) == 600_000)
        // It is right again.
        #expect(try await Self.time(log, 900_000, after: 300) == 900_000)
        await log.close()
    }

    @Test("a wall clock that was ahead at first is followed back, so that nothing is removed early")
    func leapsBack() async throws {
        let log = try open()
        #expect(try await Self.time(log, 50 * Self.day, after: nil) == 50 * Self.day)
        #expect(try await Self.time(log, 1000, after: 300) == 1000)
        await log.close()
    }

    @Test("a rest counts as an hour, however long it was, also after another start")
    func rests() async throws {
        let first = try open()
        #expect(try await Self.time(first, 0, after: nil) == 0)
        await first.close()
        for start in 1...3 {
            let log = try open()
            #expect(try await Self.time(log, 400 * Self.day, after: nil) == Int64(start) * 3_600_000)
            await log.close()
        }
    }

    @Test("a file without a clock begins by the newest entry at the end of a partition")
    func formerFiles() async throws {
        let log = try open()
        let partitions = ["a", "b", "c"].map { TopicPartition(TopicName($0)) }
        for partition in partitions {
            try await log.requireTopics([
                TopicSpecification(
                    name: partition.topic, partitions: 1, cleanup: .delete(afterMilliseconds: Self.day),
                    messageBytesMax: 1000)
            ])
        }
        let writer = try await log.makeWriter()
        for (number, partition) in partitions.dropLast().enumerated() {
            try await writer.append([
                OutgoingEntry(
                    partition, key: nil, value: [1],
                    timestamp: LogTimestamp(milliseconds: Self.start + Int64(number) * 5000))
            ])
        }
        #expect(try await Self.time(log, 400 * Self.day, after: nil) == 5000 + 3_600_000)
        // Nothing of a day is removed by a clock that is a year ahead.
        try await log.maintain(
            at: try await log.retentionTime(
                at: LogTimestamp(milliseconds: Self.start + 800 * Self.day), after: .seconds(300)))
        #expect(try await log.bounds(of: partitions).values.map(\.start).allSatisfy { $0 == 0 })
        await log.close()
    }
}
