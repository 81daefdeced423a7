import Continuity
import EventLog
import MemoryLog
import TestSupport
import Testing

/// Positions that know the entries before them.
@Suite struct HistoryTests {
    private static let topic = TopicName("t")
    private static let partition = TopicPartition(topic)

    private static func entry(_ offset: Int64) -> LogEntry {
        LogEntry(
            offset: offset, timestamp: LogTimestamp(milliseconds: 0), key: nil, value: Array("\(offset)".utf8),
            headers: [])
    }

    /// A log with entries, and a position behind them.
    private func read(_ count: Int64) async throws -> (log: MemoryLog, position: LogPosition) {
        let log = MemoryLog()
        _ = try await log.createTopics([
            TopicSpecification(
                name: Self.topic, partitions: 1, cleanup: .delete(afterMilliseconds: 1_000), messageBytesMax: 1000,
                isSource: true)
        ])
        var position = LogPosition(offset: 0)
        try await append("old", Int(count), to: log)
        try await log.read(Self.partition, from: 0, to: count) { entry in
            position.offset = entry.offset + 1
            position.note(entry)
        }
        return (log, position)
    }

    private func append(_ text: String, _ count: Int, to log: MemoryLog) async throws {
        let end = try await log.bounds(of: [Self.partition])[Self.partition]!.end
        try await log.withWriter { writer in
            try await writer.append(
                (0..<count).map { number in
                    OutgoingEntry(
                        Self.partition, key: nil, value: Array("\(text) \(Int(end) + number)".utf8),
                        timestamp: LogTimestamp(milliseconds: 0))
                })
        }
    }

    private func follow(
        _ log: MemoryLog, _ position: LogPosition
    ) async throws -> (position: LogPosition, follower: any LogFollower, lost: LostTail?) {
        try await log.follow(Self.partition, from: position) { try await log.follow(Self.partition, from: $0) }
    }

    @Test("marks are few, go far back, and outlive the text of a position")
    func marks() throws {
        var position = LogPosition(offset: 0)
        for offset in 0..<Int64(100_000) {
            position.offset = offset + 1
            position.note(Self.entry(offset))
        }
        let offsets = position.marks.map(\.offset)
        #expect(offsets.count == 5 && offsets == offsets.sorted(by: >) && offsets.first == 99_999)
        #expect(zip(offsets.dropFirst(), [0, 256, 4096, 65_536]).allSatisfy { 99_999 - $0 >= $1 }, "\(offsets)")
        #expect(zip(offsets.dropFirst(), [512, 8192, 140_000]).allSatisfy { 99_999 - $0 <= $1 }, "\(offsets)")
        #expect(LogPosition(metadata: position.metadata, offset: 100_000) == position)
        #expect(position.metadata.utf8.count < 250)
    }

    @Test("a reader goes on behind the last entry that it still knows", arguments: [1, 10, 300, 5000], [0, 1, 20_000])
    func lost(_ lost: Int, _ grown: Int) async throws {
        try await within {
            let (log, before) = try await read(10_000)
            try await log.loseTail(of: Self.partition, lost)
            try await append("new", grown, to: log)
            let found = try await follow(log, before)
            found.follower.close()
            #expect(found.lost?.to == 10_000)
            #expect(found.position.offset <= 10_000 - Int64(lost) && found.lost?.from == found.position.offset)
            #expect(found.position.offset >= 10_000 - 20 * Int64(max(lost, 256)) || found.position.offset == 1)
            #expect(found.position.marks.allSatisfy { $0.offset < found.position.offset })
            // Entries of the new history are known once they are read.
            var position = found.position
            for entry in try await log.follow(Self.partition, from: position.offset).entriesToEnd() {
                position.offset = entry.offset + 1
                position.note(entry)
            }
            let again = try await follow(log, position)
            again.follower.close()
            #expect(again.lost == nil && again.position == position)
        }
    }

    @Test("a position that notes no entry, or whose entries retention has taken, is as before")
    func unknown() async throws {
        try await within {
            let (log, position) = try await read(100)
            try await log.truncate([Self.partition: 100])
            let found = try await follow(log, position)
            found.follower.close()
            #expect(found.lost == nil && found.position.offset == 100)
            let plain = try await follow(log, LogPosition(offset: 100, incarnation: found.position.incarnation))
            plain.follower.close()
            #expect(plain.lost == nil && plain.position.offset == 100)
        }
    }
}
