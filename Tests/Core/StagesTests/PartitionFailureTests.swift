import EventLog
import MemoryLog
import Stages
import Synchronization
import TestSupport
import Testing

/// A partition's trouble stays in that partition.
@Suite struct PartitionFailureTests {
    private struct Trouble: Error {}
    private struct WideTrouble: StageWideError {}

    /// What the partitions of a stage went through.
    private final class Journal: Sendable {
        struct State {
            var starts: [Int32: Int] = [:]
            var failures: [Int32: Int] = [:]
            var read: [Int32: Int] = [:]
        }
        let state = Mutex(State())
    }

    private static let topic = TopicName("changes")

    private func log() async throws -> (log: MemoryLog, writer: any LogWriter) {
        let log = MemoryLog()
        _ = try await log.createTopics([
            TopicSpecification(
                name: Self.topic, partitions: 2, cleanup: .delete(afterMilliseconds: 1000), messageBytesMax: 1000,
                isSource: true)
        ])
        return (log, try await log.makeWriter())
    }

    private func append(_ partition: Int32, _ writer: any LogWriter) async throws {
        try await writer.append([
            OutgoingEntry(
                TopicPartition(Self.topic, partition), key: nil, value: [1], timestamp: LogTimestamp(milliseconds: 0))
        ])
    }

    /// Reads its partition; partition 0 fails with an error while it is set.
    private func stage(
        _ journal: Journal, sharesWriter: Bool = true, _ error: @escaping @Sendable (_ start: Int) -> (any Error)?
    ) -> PartitionedStage {
        PartitionedStage(
            sharesWriter: sharesWriter,
            work: { partition, membership in
                let start = journal.state.withLock { state in
                    state.starts[partition.partition, default: 0] += 1
                    return state.starts[partition.partition]!
                }
                let follower = try await membership.start(partition, from: 0)
                journal.state.withLock { $0.read[partition.partition] = 0 }
                if partition.partition == 0, let error = error(start) { throw error }
                while true {
                    let batch = try await follower.next()
                    journal.state.withLock { $0.read[partition.partition, default: 0] += batch.entries.count }
                }
            },
            ended: { _, _ in },
            failed: { partition, _, _ in
                journal.state.withLock { $0.failures[partition.partition, default: 0] += 1 }
            })
    }

    @Test func theOthersGoOnWhileOneBeginsAgain() async throws {
        try await within {
            let (log, writer) = try await log()
            let journal = Journal()
            let stage = stage(journal) { $0 <= 3 ? Trouble() : nil }
            let running = Task {
                try await stage.run(try await log.join(GroupName("group"), topics: [Self.topic]))
            }
            try await append(0, writer)
            for count in 1...5 {
                try await append(1, writer)
                try await eventually("the healthy partition") { journal.state.withLock { $0.read[1] == count } }
            }
            try await eventually("the other one") { journal.state.withLock { $0.read[0] == 1 } }
            let state = journal.state.withLock { $0 }
            #expect(state.starts == [0: 4, 1: 1] && state.failures == [0: 3])
            running.cancel()
            _ = await running.result
        }
    }

    /// The shared writer of the partitions is replaced for all when it is dead.
    @Test func aSharedWriterThatIsDeadEndsTheStage() async throws {
        try await within {
            let (log, _) = try await log()
            let journal = Journal()
            let stage = stage(journal) { _ in LogError.writeFailed("dead") }
            await #expect(throws: LogError.writeFailed("dead")) {
                try await stage.run(try await log.join(GroupName("group"), topics: [Self.topic]))
            }
            #expect(journal.state.withLock { $0.failures.isEmpty })
        }
    }

    @Test func anErrorOfTheWholeStageEndsIt() async throws {
        try await within {
            let (log, _) = try await log()
            let journal = Journal()
            let stage = stage(journal, sharesWriter: false) { _ in WideTrouble() }
            await #expect(throws: WideTrouble.self) {
                try await stage.run(try await log.join(GroupName("group"), topics: [Self.topic]))
            }
            #expect(journal.state.withLock { $0.failures.isEmpty })
        }
    }

    /// A place that somebody else has taken, or a writer of the partition's own, is its own affair.
    @Test(arguments: [LogError.writeFailed("dead"), .fenced("taken")])
    func aPartitionsErrorEndsNoOther(error: LogError) async throws {
        try await within {
            let (log, writer) = try await log()
            let journal = Journal()
            let stage = stage(journal, sharesWriter: false) { $0 <= 2 ? error : nil }
            let running = Task {
                try await stage.run(try await log.join(GroupName("group"), topics: [Self.topic]))
            }
            for partition: Int32 in 0...1 { try await append(partition, writer) }
            try await eventually("both") { journal.state.withLock { $0.read[0] == 1 && $0.read[1] == 1 } }
            #expect(journal.state.withLock { $0.starts == [0: 3, 1: 1] && $0.failures == [0: 2] })
            running.cancel()
            _ = await running.result
        }
    }

    /// A partition that has begun again for the hundredth time ends at once when it is taken away.
    @Test func aPartitionThatAlwaysFailsEndsWithTheStage() async throws {
        try await within {
            let (log, _) = try await log()
            let journal = Journal()
            let stage = stage(journal) { _ in Trouble() }
            let running = Task {
                try await stage.run(try await log.join(GroupName("group"), topics: [Self.topic]))
            }
            try await eventually("some failures") { journal.state.withLock { $0.failures[0] ?? 0 >= 3 } }
            running.cancel()
            _ = await running.result
        }
    }
}
