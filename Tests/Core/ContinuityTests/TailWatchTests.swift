import Continuity
import EventLog
import MemoryLog
import Synchronization
import TestSupport
import Testing

/// What makes a log suspect of having lost what it had acknowledged.
@Suite struct TailWatchTests {
    private final class AwayLog: ForwardingLog {
        let base: any EventLog
        let isAway = Atomic(false)
        init(_ base: any EventLog) { self.base = base }
        func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
            guard !isAway.load(ordering: .relaxed) else { throw LogError.unavailable("no broker") }
            return try await base.bounds(of: partitions)
        }
    }

    private static let partition = TopicPartition(TopicName("t"))

    private func withWatch(
        _ body:
            @escaping @Sendable (
                MemoryLog, AwayLog, ManualTime, Task<TailWatch.Loss, any Error>
            ) async throws -> Void
    ) async throws {
        try await within {
            let memory = MemoryLog()
            _ = try await memory.createTopics([
                TopicSpecification(
                    name: Self.partition.topic, partitions: 1, cleanup: .delete(afterMilliseconds: 1),
                    messageBytesMax: 1000,
                    isSource: true)
            ])
            try await append(5, to: memory)
            let log = AwayLog(memory)
            let time = ManualTime()
            try await time.bound {
                let watch = Task { try await TailWatch(log, [Self.partition], pause: .seconds(2)).loss() }
                await time.pauses(atLeast: 1)
                try await body(memory, log, time, watch)
            }
        }
    }

    private func append(_ count: Int, to log: MemoryLog) async throws {
        try await log.withWriter { writer in
            try await writer.append(
                (0..<count).map { _ in
                    OutgoingEntry(Self.partition, key: nil, value: [1], timestamp: LogTimestamp(milliseconds: 0))
                })
        }
    }

    @Test("a partition that ends before an end of before has lost entries, one that grows has not")
    func shorter() async throws {
        try await withWatch { memory, _, time, watch in
            try await append(3, to: memory)
            time.advance(by: .seconds(2))
            await time.pauses(atLeast: 2)
            try await memory.loseTail(of: Self.partition, 4)
            time.advance(by: .seconds(2))
            #expect(try await watch.value == .shorter(Self.partition, end: 4, was: 8))
        }
    }

    @Test("what a writer has appended between two looks may not be lost before the next one")
    func between() async throws {
        try await within {
            try await withWatch { memory, _, time, first in
                first.cancel()
                let writer = CountingWriter(try await memory.makeWriter())
                let watch = TailWatch(memory, [Self.partition], pause: .seconds(2), writer: writer)
                let ends = try await watch.ends()
                try await writer.append([
                    OutgoingEntry(Self.partition, key: nil, value: [2], timestamp: LogTimestamp(milliseconds: 0))
                ])
                try await memory.loseTail(of: Self.partition, 1)
                #expect(try await watch.loss(since: ends) == .shorter(Self.partition, end: 5, was: 6))
            }
        }
    }

    @Test("a log that was away is suspect, whatever its ends are")
    func away() async throws {
        try await withWatch { memory, log, time, watch in
            log.isAway.store(true, ordering: .relaxed)
            time.advance(by: .seconds(2))
            await time.pauses(atLeast: 2)
            try await append(1, to: memory)
            log.isAway.store(false, ordering: .relaxed)
            time.advance(by: .seconds(2))
            #expect(try await watch.value == .away)
        }
    }
}
