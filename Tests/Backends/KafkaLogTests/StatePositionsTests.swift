import EventLog
import KafkaLog
import TestSupport
import Testing

/// What a group hears of positions that were committed with state.
@Suite(.enabled(if: RealKafka.isAvailable)) struct StatePositionsTests {
    /// A claim on a partition of topics made for it, and the log that they are in.
    private static func claim() async throws -> (StateClaim, KafkaLog) {
        let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: try RealKafka.bootstrapServers()))
        let names = ["input", "state"].map { TopicName(RealKafka.unique($0)) }
        try await log.requireTopics(
            names.map { TopicSpecification(name: $0, partitions: 1, cleanup: .compact, messageBytesMax: 1 << 20) })
        let claim = StateClaim(
            input: TopicPartition(names[0]), group: GroupName(RealKafka.unique("group")),
            state: TopicPartition(names[1]))
        return (claim, log)
    }

    /// Joins and begins to read the claim's input.
    private static func member(
        _ claim: StateClaim, _ log: KafkaLog, from offset: Int64
    ) async throws -> any LogMembership {
        let member = try await log.join(claim.group, topics: [claim.input.topic])
        while true {
            if case .assigned(let partitions) = try await member.next(), !partitions.isEmpty { break }
        }
        _ = try await member.start(claim.input, from: offset)
        return member
    }

    private static func committed(_ claim: StateClaim, _ log: KafkaLog) async throws -> Int64? {
        try await log.committedOffsets(of: claim.group, [claim.input])?[claim.input]
    }

    @Test("a group gets offsets that were committed with the state a little later")
    func committedByTheMember() async throws {
        let (claim, log) = try await Self.claim()
        let session = try await log.takeOver(claim)
        let member = try await Self.member(claim, log, from: 0)
        try await session.commit([[1]: [1]], offset: 3, at: LogTimestamp(milliseconds: 1))
        try await eventually("the group's offset") { try await Self.committed(claim, log) == 3 }
        try await session.commit([[1]: [2]], offset: 5, at: LogTimestamp(milliseconds: 2))
        try await eventually("the group's next offset") { try await Self.committed(claim, log) == 5 }
        await member.leave()
        await session.close()
        await log.close()
    }

    @Test("the next owner reports offsets that a process did not report before its end, and commits nothing")
    func committedByTheNextOwner() async throws {
        let (claim, log) = try await Self.claim()
        let first = try await log.takeOver(claim)
        try await first.commit([[1]: [1]], offset: 7, at: LogTimestamp(milliseconds: 1))
        #expect(try await Self.committed(claim, log) == nil)
        // Another process.
        let other = try KafkaLog(KafkaLogConfiguration(bootstrapServers: try RealKafka.bootstrapServers()))
        let second = try await other.takeOver(claim)
        #expect(second.initialOffset == 7)
        let member = try await Self.member(claim, other, from: 7)
        try await eventually("the group's offset") { try await Self.committed(claim, other) == 7 }
        await member.leave()
        for session in [first, second] { await session.close() }
        for log in [log, other] { await log.close() }
    }
}
