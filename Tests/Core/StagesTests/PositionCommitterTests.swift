import EventLog
import Stages
import Synchronization
import TestSupport
import Testing

/// Positions that are noted reach the group once, and those of partitions that stay are not lost with others.
@Suite struct PositionCommitterTests {
    private static let topic = TopicName("changes")
    private let first = TopicPartition(topic, 0)
    private let second = TopicPartition(topic, 1)
    private let third = TopicPartition(topic, 2)
    private let group = CommittingGroup()
    /// Nobody waits for its own commits here.
    private let committer = PositionCommitter(every: .seconds(600))

    private func note(_ offsets: KeyValuePairs<TopicPartition, Int64>) {
        for (partition, offset) in offsets { committer.note(LogPosition(offset: offset), of: partition) }
    }

    @Test("the last position of each partition is committed, many at once, and once")
    func committedTogether() async throws {
        note([first: 1, second: 5, first: 3])
        try await committer.flush(nil, group)
        #expect(group.commits == [[first: 3, second: 5]])
        try await committer.flush(nil, group)
        #expect(group.commits.count == 1)
    }

    @Test("a flush of some partitions leaves the others for later")
    func someOfThem() async throws {
        note([first: 1, second: 5])
        try await committer.flush([second, third], group)
        #expect(group.commits == [[second: 5]])
        try await committer.flush(nil, group)
        #expect(group.commits == [[second: 5], [first: 1]])
    }

    @Test("a partition that was lost is dropped, and those that stay are committed", arguments: 0..<3)
    func oneLost(number: Int) async throws {
        let lost = [first, second, third][number]
        group.lose(lost)
        note([first: 1, second: 2, third: 3])
        try await committer.flush(nil, group)
        #expect(group.committed == [first: 1, second: 2, third: 3].filter { $0.key != lost })
        // Not even when the partition comes back: its owner in between may have committed more.
        group.regain(lost)
        try await committer.flush(nil, group)
        #expect(group.committed[lost] == nil)
    }

    @Test("what could not be committed waits, and a later position is not put back by it")
    func keptWhileUnavailable() async throws {
        note([first: 1, second: 5])
        // While the call is under way the stage goes on.
        group.fail(with: .unavailable("no broker")) { [committer, first] in
            committer.note(LogPosition(offset: 2), of: first)
        }
        await #expect(throws: LogError.unavailable("no broker")) { try await committer.flush(nil, group) }
        #expect(group.commits.isEmpty)
        try await committer.flush(nil, group)
        #expect(group.commits == [[first: 2, second: 5]])
    }

    @Test("when the log fails between single commits, the uncommitted ones wait", arguments: 0..<3)
    func failureAfterALoss(singles: Int) async throws {
        group.lose(first)
        note([first: 1, second: 2, third: 3])
        group.failSingles(after: singles, with: .unavailable("gone"))
        await #expect(throws: LogError.unavailable("gone")) { try await committer.flush(nil, group) }
        group.failSingles(after: nil, with: .closed)
        try await committer.flush(nil, group)
        #expect(group.committed == [second: 2, third: 3])
    }

    @Test("it commits by itself while the log cannot be reached and after, until it is cancelled")
    func runs() async throws {
        let committer = PositionCommitter(every: .milliseconds(1))
        group.fail(with: .unavailable("no broker")) {}
        committer.note(LogPosition(offset: 7), of: first)
        let run = Task { [group] in try await committer.run(group) }
        try await eventually("a commit") { [group, first] in group.committed[first] == 7 }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test("another failure than an absent log ends it, and nothing noted is forgotten")
    func endsByFailure() async throws {
        let committer = PositionCommitter(every: .milliseconds(1))
        group.fail(with: .broken("refused")) {}
        committer.note(LogPosition(offset: 7), of: first)
        let run = Task { [group] in try await committer.run(group) }
        await #expect(throws: LogError.broken("refused")) { try await within { try await run.value } }
        try await committer.flush([first], group)
        #expect(group.committed == [first: 7])
    }
}

/// A group as a broker keeps it: a commit that names one lost partition is refused as a whole.
private final class CommittingGroup: LogMembership {
    private struct State {
        var commits: [[TopicPartition: Int64]] = []
        var lost: Set<TopicPartition> = []
        var failure: (error: LogError, meanwhile: @Sendable () -> Void)?
        var singlesLeft: Int?
        var afterSingles = LogError.closed
    }

    private let state = Mutex(State())

    var commits: [[TopicPartition: Int64]] { state.withLock { $0.commits } }
    var committed: [TopicPartition: Int64] { commits.reduce(into: [:]) { $0.merge($1) { $1 } } }

    func lose(_ partition: TopicPartition) { state.withLock { _ = $0.lost.insert(partition) } }
    func regain(_ partition: TopicPartition) { state.withLock { _ = $0.lost.remove(partition) } }

    /// The next commit fails, and something happens while it is under way.
    func fail(with error: LogError, _ meanwhile: @escaping @Sendable () -> Void) {
        state.withLock { $0.failure = (error, meanwhile) }
    }

    /// Commits of a single partition fail from this one on.
    func failSingles(after count: Int?, with error: LogError) {
        state.withLock { state in
            state.singlesLeft = count
            state.afterSingles = error
        }
    }

    func commit(_ positions: [TopicPartition: LogPosition]) async throws {
        let failure = state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
        failure?.meanwhile()
        if let failure { throw failure.error }
        try state.withLock { state in
            if positions.count == 1, let left = state.singlesLeft {
                guard left > 0 else { throw state.afterSingles }
                state.singlesLeft = left - 1
            }
            guard state.lost.isDisjoint(with: positions.keys) else { throw LogError.fenced("one was lost") }
            state.commits.append(positions.mapValues(\.offset))
        }
    }

    func next() async throws -> MembershipEvent { throw LogError.closed }
    func committed(_ partitions: [TopicPartition]) async throws -> [TopicPartition: LogPosition] { [:] }
    func start(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        throw LogError.closed
    }
    func release(_ partitions: [TopicPartition]) async throws {}
    func leave() async {}
}
