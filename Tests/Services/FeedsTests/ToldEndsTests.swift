import EventLog
import MemoryLog
import Synchronization
import TestSupport
import Testing
import Waiting

@testable import Feeds

/// The ends that a log tells to many who ask: few questions, each asked after who gets its answer, and partitions that fail alone.
@Suite struct ToldEndsTests {
    /// A log whose questions for bounds are noted, and held back or refused where they name certain partitions.
    private final class AskedLog: ForwardingLog {
        let base: any EventLog
        let questions = Mutex<[[TopicPartition]]>([])
        let first = Answer<Void>()
        /// Those who have begun to ask, as the test counts them.
        let asked = Mutex(0)
        let hanging: Set<TopicPartition>
        let failing: Set<TopicPartition>
        let holdsFirst: Bool

        init(
            _ base: any EventLog, hanging: Set<TopicPartition> = [], failing: Set<TopicPartition> = [],
            holdsFirst: Bool = false
        ) {
            self.base = base
            self.hanging = hanging
            self.failing = failing
            self.holdsFirst = holdsFirst
        }

        func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
            let isFirst = questions.withLock { questions in
                questions.append(partitions)
                return questions.count == 1
            }
            if holdsFirst, isFirst { await first.value {} }
            if !hanging.isDisjoint(with: partitions) { await Answer<Void>().value {} }
            if !failing.isDisjoint(with: partitions) { throw LogError.unavailable("no leader") }
            return try await base.bounds(of: partitions)
        }
    }

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

    @Test("all who ask while a question is under way share the next one, whatever their partitions")
    func share() async throws {
        let log = AskedLog(try await memory(), holdsFirst: true)
        let ends = ToldEnds(log, patience: .seconds(60))
        try await within(.seconds(60)) {
            let first = Task { try await ends.bounds(of: partition(0)).end }
            try await eventually("the first question") { log.questions.withLock { !$0.isEmpty } }
            let told = try await withThrowingTaskGroup(of: Int64.self) { group in
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
            #expect(told == [1, 2, 3, 4].flatMap { Array(repeating: Int64($0), count: 100) })
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
        let ends = ToldEnds(log)
        try await within(.seconds(60)) {
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

    @Test("what was told a while ago is told again to whom it is enough, and to nobody else")
    func known() async throws {
        let log = AskedLog(try await memory())
        let ends = ToldEnds(log, patience: .seconds(60))
        var asked: Int { log.questions.withLock { $0.count } }
        // Nothing is known yet.
        #expect(try await ends.bounds(of: partition(1), notOlderThan: .seconds(600)).end == 2)
        try await log.base.makeWriter().append([OutgoingEntry(partition(1), "x")])
        #expect(try await ends.bounds(of: partition(1), notOlderThan: .seconds(600)).end == 2)
        #expect(asked == 1)
        #expect(try await ends.bounds(of: partition(1), notOlderThan: .nanoseconds(1)).end == 3)
        try await log.base.makeWriter().append([OutgoingEntry(partition(1), "x")])
        #expect(try await ends.bounds(of: partition(1)).end == 4)
        #expect(asked == 3)
        #expect(try await ends.bounds(of: partition(1), notOlderThan: .seconds(600)).end == 4)
        #expect(try await ends.bounds(of: partition(2), notOlderThan: .seconds(600)).end == 3)
        #expect(asked == 4)
    }
}
