package import EventLog

/// A log over another one that lets a test intercept reads.
package final class InterceptedLog: ForwardingLog {
    /// Intercepts a follower's batches.
    package typealias Follow =
        @Sendable (_ partition: TopicPartition, _ follower: any LogFollower) -> any LogFollower

    package let base: any EventLog
    private let follow: Follow
    private let boundsReported: @Sendable ([TopicPartition]) async throws -> Void
    private let writeFailed: @Sendable ([OutgoingEntry]) -> Void
    private let refuses: @Sendable (TopicName) -> LogError?
    private let appending: @Sendable ([OutgoingEntry]) async throws -> Void

    /// - Parameters:
    ///     - follow: replaces each follower that is made.
    ///     - boundsReported: called after bounds were read and before they are returned.
    ///     - writeFailed: called with entries that could not be appended.
    ///     - refuses: returns the reason why a topic is not created.
    ///     - appending: called with entries before they are appended.
    package init(
        _ base: any EventLog, follow: @escaping Follow = { $1 },
        boundsReported: @escaping @Sendable ([TopicPartition]) async throws -> Void = { _ in },
        writeFailed: @escaping @Sendable ([OutgoingEntry]) -> Void = { _ in },
        refuses: @escaping @Sendable (TopicName) -> LogError? = { _ in nil },
        appending: @escaping @Sendable ([OutgoingEntry]) async throws -> Void = { _ in }
    ) {
        self.refuses = refuses
        self.appending = appending
        self.base = base
        self.follow = follow
        self.boundsReported = boundsReported
        self.writeFailed = writeFailed
    }

    package func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        follow(partition, try await base.follow(partition, from: offset))
    }

    package func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        let bounds = try await base.bounds(of: partitions)
        try await boundsReported(partitions)
        return bounds
    }

    package func createTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: TopicCreation] {
        let refused = specifications.compactMap { topic in refuses(topic.name).map { (topic.name, $0) } }
        var outcomes = try await base.createTopics(specifications.filter { refuses($0.name) == nil })
        for (name, error) in refused { outcomes[name] = .failed(error) }
        return outcomes
    }

    package func makeWriter() async throws -> any LogWriter {
        WatchedWriter(base: try await base.makeWriter(), appending: appending, failed: writeFailed)
    }
}

/// A writer that reports entries before it appends them, and failed ones.
private struct WatchedWriter: LogWriter {
    let base: any LogWriter
    let appending: @Sendable ([OutgoingEntry]) async throws -> Void
    let failed: @Sendable ([OutgoingEntry]) -> Void

    func append(_ entries: [OutgoingEntry]) async throws {
        try await appending(entries)
        do {
            try await base.append(entries)
        } catch {
            failed(entries)
            throw error
        }
    }

    func close() async { await base.close() }
}
