package import EventLog
import Synchronization
package import Waiting

/// The log port in memory: for tests and for measuring what the rest costs. Nothing outlives the process.
package final class MemoryLog: EventLog, EmbeddedStorage {
    package let bell = Bell<TopicPartition>()
    private let groups = EmbeddedGroups()
    private let contents = Mutex(MemoryContents())

    private let name = "memory-" + String(UInt64.random(in: 1 ... .max), radix: 16)

    package init() {}

    package func identity() async throws -> String { name }

    package func createTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: TopicCreation] {
        contents.withLock { contents in
            Dictionary(specifications.map { ($0.name, contents.create($0)) }) { first, _ in first }
        }
    }

    package func configureTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: LogError] {
        contents.withLock { contents in for specification in specifications { contents.configure(specification) } }
        return [:]
    }

    package func describeTopics(_ names: [TopicName]) async throws -> [TopicName: TopicDescription] {
        contents.withLock { contents in
            Dictionary(names.compactMap { name in contents.topics[name].map { (name, $0.description) } }) { $1 }
        }
    }

    package func topics(withPrefix prefix: String) async throws -> [TopicName] {
        contents.withLock { $0.topics.keys.filter { $0.rawValue.hasPrefix(prefix) } }.sorted()
    }

    package func deleteTopics(_ names: [TopicName]) async throws -> [TopicName: LogError] {
        let deleted = contents.withLock { contents in names.flatMap { contents.delete($0) } }
        for partition in deleted { bell.ring(partition) }
        return [:]
    }

    package func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        try contents.withLock { contents in
            try Dictionary(partitions.map { ($0, try contents.partition($0).bounds) }) { first, _ in first }
        }
    }

    /// Removes entries below offsets.
    package func truncate(_ offsets: [TopicPartition: Int64]) async throws {
        try contents.withLock { contents in
            for (partition, offset) in offsets {
                try contents.change(partition) { $0.truncate(below: offset) }
            }
        }
        for partition in offsets.keys { bell.ring(partition) }
    }

    /// Removes the last entries of a partition, as a broker does that lost power before they were on its disk. Later
    /// entries take their offsets.
    package func loseTail(of partition: TopicPartition, _ count: Int) async throws {
        try contents.withLock { try $0.change(partition) { $0.loseTail(count) } }
        bell.ring(partition)
    }

    package func makeWriter() async throws -> any LogWriter { MemoryWriter(log: self) }

    package func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        _ = try await read(partition, from: offset)
        return EmbeddedFollower(partition, from: offset, storage: self)
    }

    package func look(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        _ = try await read(partition, from: offset)
        return EmbeddedFollower(partition, from: offset, storage: self, isLook: true)
    }

    package func committedOffsets(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: Int64]? { try await positions(of: group, partitions).mapValues(\.offset) }

    package func join(_ group: GroupName, topics: [TopicName]) async throws -> any LogMembership {
        let partitions = try contents.withLock { contents in
            try topics.flatMap { name in
                guard let topic = contents.topics[name] else { throw LogError.unknownTopic(name.rawValue) }
                return (0..<topic.specification.partitions).map { TopicPartition(name, $0) }
            }
        }
        return EmbeddedMembership(group, partitions: partitions, storage: self, groups: groups)
    }

    package func takeOver(_ claim: StateClaim) async throws -> any LogStateSession {
        try contents.withLock { contents in
            let number = contents.fence(claim.state)
            let state = try contents.partition(claim.state).latest
            let offset = contents.committed[claim.group]?[claim.input]?.offset
            return MemoryStateSession(
                log: self, claim: claim, number: number, initialState: state, initialOffset: offset)
        }
    }

    package func close() async {
        groups.close()
        bell.ringAll()
    }

    package func read(_ partition: TopicPartition, from offset: Int64) async throws -> LogBatch {
        try contents.withLock { try $0.partition(partition).read(partition, from: offset) }
    }

    package func positions(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: LogPosition] {
        contents.withLock { contents in
            let all = contents.committed[group] ?? [:]
            return Dictionary(partitions.compactMap { name in all[name].map { (name, $0) } }) { first, _ in first }
        }
    }

    package func store(_ positions: [TopicPartition: LogPosition], of group: GroupName) async throws {
        contents.withLock { $0.committed[group, default: [:]].merge(positions) { $1 } }
    }

    func append(_ entries: [OutgoingEntry]) throws {
        try contents.withLock { try $0.append(entries) }
        for partition in Set(entries.map(\.partition)) { bell.ring(partition) }
    }

    func commit(_ entries: [OutgoingEntry], offset: Int64, claim: StateClaim, number: Int) throws {
        try contents.withLock { contents in
            guard contents.fences[claim.state] == number else { throw LogError.fenced("\(claim.state)") }
            try contents.append(entries)
            contents.committed[claim.group, default: [:]][claim.input] = LogPosition(offset: offset)
        }
        bell.ring(claim.state)
    }
}
