import EventLog
import MemoryLog
import Synchronization
import TestSupport
import Testing
import Waiting

@testable import Feeds

/// End offsets for many callers: few requests, each sent after the call that it answers, and partitions that fail
/// alone.
@Suite struct EndOffsetCacheTests {
    private let topic = TopicSpecification(
        name: TopicName("journals"), partitions: 4, cleanup: .delete(afterMilliseconds: -1), messageBytesMax: 1 << 20)

    private func partition(_ number: Int32) -> TopicPartition { TopicPartition(topic.name, number) }

    private func memory() async throws -> MemoryLog {
        let log = MemoryLog()
        _ = try await log.createTopics([topic])
        let writer = try await log.makeWriter()
        for number in 0..<topic.partitions {
            for _ in 0...number { try await writer.append([OutgoingEntry(partition(number), "x")]) }
        }
        return log
    }

    @Test("all callers during a request share the next one, for any partitions")
    func share() async throws {
        let log = AskedLog(try await memory(), holdsFirst: true)
        let ends = EndOffsetCache(log, patience: .seconds(60))
        try await within {
            let first = Task { try await ends.bounds(of: partition(0)).end }
            try await eventually("the first question") { log.questions.withLock { !$0.isEmpty } }
            let ends = try await withThrowingTaskGroup(of: Int64.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        log.asked.withLock { $0 += 1 }
                        return try await ends.bounds(of: partition(Int32(number % 4))).end
                    }
                }
                try await eventually("all others to ask") { log.asked.withLock { $0 } == 400 }
                log.first.give(())
                return try await group.reduce(into: []) { $0.append($1) }.sorted()
            }
            #expect(ends == [1, 2, 3, 4].flatMap { Array(repeating: Int64($0), count: 100) })
            let firstEnd = try await first.value
            #expect(firstEnd == 1)
            // One for the first, one for all others, and some for those who had begun and not asked yet.
            let questions = log.questions.withLock { $0.map(\.count) }
            #expect(questions.first == 1 && questions.dropFirst().first == 4)
            #expect(questions.count < 40)
        }
    }

    @Test("a partition that hangs, or fails, leaves the others alone", arguments: [true, false])
    func alone(isHanging: Bool) async throws {
        let bad: Set<TopicPartition> = [partition(2)]
        let log = AskedLog(try await memory(), hanging: isHanging ? bad : [], failing: isHanging ? [] : bad)
        let ends = EndOffsetCache(log)
        try await within {
            let stuck = Task { try await ends.bounds(of: partition(2)).end }
            for round in 0..<3 {
                for number: Int32 in [0, 1, 3] {
                    let end = try await ends.bounds(of: partition(number)).end
                    #expect(end == Int64(number) + 1, "round \(round)")
                }
            }
            guard !isHanging else { return }
            let failed = await stuck.result
            #expect(throws: LogError.self) { try failed.get() }
        }
    }

    @Test("a cached end is returned to callers that accept its age, and to no others")
    func known() async throws {
        let log = AskedLog(try await memory())
        let ends = EndOffsetCache(log, patience: .seconds(60))
        // Nothing is known yet.
        #expect(try await ends.bounds(of: partition(1), notOlderThan: .seconds(600)).end == 2)
        try await log.base.makeWriter().append([OutgoingEntry(partition(1), "x")])
        #expect(try await ends.bounds(of: partition(1), notOlderThan: .seconds(600)).end == 2)
        #expect(log.count == 1)
        #expect(try await ends.bounds(of: partition(1), notOlderThan: .nanoseconds(1)).end == 3)
        try await log.base.makeWriter().append([OutgoingEntry(partition(1), "x")])
        #expect(try await ends.bounds(of: partition(1)).end == 4)
        #expect(log.count == 3)
        #expect(try await ends.bounds(of: partition(1), notOlderThan: .seconds(600)).end == 4)
        #expect(try await ends.bounds(of: partition(2), notOlderThan: .seconds(600)).end == 3)
        #expect(log.count == 4)
    }
}
