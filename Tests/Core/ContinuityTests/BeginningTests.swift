import CloudMessages
import Continuity
import EventLog
import MemoryLog
import TestSupport
import Testing

/// Where readers begin that have a position already.
@Suite struct BeginningTests {
    private static let topic = TopicSpecification(
        name: TopicName("topic"), partitions: 1, cleanup: .delete(afterMilliseconds: -1), messageBytesMax: 1 << 20,
        isSource: true)
    private static let partition = TopicPartition(topic.name)

    private func write(_ count: Int, to log: MemoryLog) async throws {
        try await log.withWriter { writer in
            try await writer.append(
                (0..<count).map {
                    OutgoingEntry(
                        Self.partition, key: nil, value: [UInt8($0)], timestamp: LogTimestamp(milliseconds: 0))
                })
        }
    }

    private func begin(_ log: MemoryLog, at committed: LogPosition?) async throws -> LogPosition {
        let (position, follower, _) = try await log.follow(Self.partition, from: committed) {
            try await log.follow(Self.partition, from: $0)
        }
        follower.close()
        return position
    }

    @Test("an offset of a deleted topic means nothing in the new one; seen positions stay seen")
    func recreated() async throws {
        let log = MemoryLog()
        _ = try await log.createTopics([Self.topic])
        try await write(3, to: log)
        let first = try await begin(log, at: nil)
        let incarnation = try await log.incarnation(of: Self.topic.name)
        #expect(first == LogPosition(offset: 0, incarnation: incarnation))
        var committed = first
        committed.offset = 3
        let name = SourcePosition(source: .store(7), offset: 9)
        _ = committed.advance(to: name)
        #expect(try await begin(log, at: committed) == committed)

        _ = try await log.deleteTopics([Self.topic.name])
        _ = try await log.createTopics([Self.topic])
        // Both where the old offset is none of the new topic, and where it is one.
        for count in [1, 9] {
            try await write(count, to: log)
            let begun = try await begin(log, at: committed)
            let now = try await log.incarnation(of: Self.topic.name)
            #expect(begun == LogPosition(offset: 0, seen: committed.seen, incarnation: now) && now != incarnation)
        }
    }

    @Test("a position from before topics had a number is taken as it is")
    func withoutNumber() async throws {
        let log = MemoryLog()
        _ = try await log.createTopics([Self.topic])
        try await write(3, to: log)
        let incarnation = try await log.incarnation(of: Self.topic.name)
        #expect(
            try await begin(log, at: LogPosition(offset: 2)) == LogPosition(offset: 2, incarnation: incarnation))
    }

    @Test("an offset that retention has removed is an error still")
    func outOfRange() async throws {
        let log = MemoryLog()
        _ = try await log.createTopics([Self.topic])
        await #expect(throws: LogError.self) { _ = try await begin(log, at: LogPosition(offset: 5)) }
    }
}
