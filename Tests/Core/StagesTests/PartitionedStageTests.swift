import EventLog
import Stages
import Synchronization
import TestSupport
import Testing

/// How a stage follows what its membership gives and takes.
@Suite struct PartitionedStageTests {
    private static let topic = TopicName("changes")
    private let first = TopicPartition(topic, 0)
    private let second = TopicPartition(topic, 1)

    @Test func aPartitionThatIsLostEndsOnlyItsOwnWork() async throws {
        let membership = ScriptedMembership()
        let starts = Mutex<[TopicPartition]>([])
        let stage = PartitionedStage(
            work: { partition, _ in
                let count = starts.withLock { starts in
                    starts.append(partition)
                    return starts.count { $0 == partition }
                }
                // The follower of a lost partition ends before the membership says that it is lost.
                if partition == first, count == 1 { throw LogError.closed }
                try await Task.sleep(for: .seconds(600))
            }, ended: { _, _ in })
        let run = Task { try await stage.run(membership) }
        membership.put(.assigned([first, second]))
        try await eventually("both started") { starts.withLock { $0.count == 2 } }
        membership.put(.lost([first]))
        membership.put(.assigned([first]))
        try await eventually("the lost one started again") { starts.withLock { $0.count == 3 } }
        #expect(starts.withLock { Set($0) == [first, second] && $0.last == first })
        #expect(!membership.hasLeft)
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(membership.hasLeft)
    }

    @Test func aFailureEndsTheStage() async throws {
        let membership = ScriptedMembership()
        let stage = PartitionedStage(work: { _, _ in throw LogError.writeFailed("full") }, ended: { _, _ in })
        membership.put(.assigned([first]))
        await #expect(throws: LogError.writeFailed("full")) {
            try await within { try await stage.run(membership) }
        }
        #expect(membership.hasLeft)
    }
}

/// A membership whose events a test writes.
private final class ScriptedMembership: LogMembership {
    private let events: AsyncStream<MembershipEvent>
    private let continuation: AsyncStream<MembershipEvent>.Continuation
    private let left = Mutex(false)

    init() { (events, continuation) = AsyncStream.makeStream() }

    func put(_ event: MembershipEvent) { continuation.yield(event) }
    var hasLeft: Bool { left.withLock { $0 } }

    func next() async throws -> MembershipEvent {
        for await event in events { return event }
        throw CancellationError()
    }
    func committed(_ partitions: [TopicPartition]) async throws -> [TopicPartition: LogPosition] { [:] }
    func start(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        throw LogError.closed
    }
    func commit(_ positions: [TopicPartition: LogPosition]) async throws {}
    func release(_ partitions: [TopicPartition]) async throws {}
    func leave() async { left.withLock { $0 = true } }
}
