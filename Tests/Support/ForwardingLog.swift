package import EventLog

/// A log over another one: it hands on every call that it has no answer of its own for, so that a test's log says only
/// what it bends.
package protocol ForwardingLog: EventLog {
    /// The log that answers what this one does not.
    var base: any EventLog { get }
}

extension ForwardingLog {
    package func identity() async throws -> String { try await base.identity() }

    package func createTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: TopicCreation] {
        try await base.createTopics(specifications)
    }

    package func configureTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: LogError] {
        try await base.configureTopics(specifications)
    }

    package func describeTopics(_ names: [TopicName]) async throws -> [TopicName: TopicDescription] {
        try await base.describeTopics(names)
    }

    package func topics(withPrefix prefix: String) async throws -> [TopicName] {
        try await base.topics(withPrefix: prefix)
    }

    package func deleteTopics(_ names: [TopicName]) async throws -> [TopicName: LogError] {
        try await base.deleteTopics(names)
    }

    package func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        try await base.bounds(of: partitions)
    }

    package func makeWriter() async throws -> any LogWriter { try await base.makeWriter() }

    package func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        try await base.follow(partition, from: offset)
    }

    package func join(_ group: GroupName, topics: [TopicName]) async throws -> any LogMembership {
        try await base.join(group, topics: topics)
    }

    package func committedOffsets(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: Int64]? { try await base.committedOffsets(of: group, partitions) }

    package func takeOver(_ claim: StateClaim) async throws -> any LogStateSession { try await base.takeOver(claim) }

    package func close() async { await base.close() }
}

/// A session over another one, in the same way.
package protocol ForwardingSession: LogStateSession {
    /// The session that answers what this one does not.
    var base: any LogStateSession { get }
}

extension ForwardingSession {
    package var initialState: [[UInt8]: [UInt8]] { base.initialState }

    package var initialOffset: Int64? { base.initialOffset }

    package func commit(_ changes: [[UInt8]: [UInt8]?], offset: Int64, at time: LogTimestamp) async throws {
        try await base.commit(changes, offset: offset, at: time)
    }

    package func close() async { await base.close() }
}
