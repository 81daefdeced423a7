/// The log port: topics of ordered partitions. Backends: `MemoryLog`, `SQLiteLog`, `KafkaLog`; the suite
/// `LogConformance` says what they have in common.
package protocol EventLog: Sendable {
    /// Identifies the log itself: the same for all its users, and another one after it was recreated. On Kafka the
    /// cluster's ID; the embedded logs store one with their files.
    func identity() async throws -> String

    /// Creates topics, many in one request. An existing topic stays as it is.
    /// - Returns: the result of each; a failure of one does not affect the others.
    /// - Throws: errors of the whole request, such as `LogError.unavailable`.
    func createTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: TopicCreation]

    /// Changes existing topics to their specification, as far as possible: cleanup, the largest entry, and an
    /// incarnation if there is none. Missing topics are left out.
    /// - Returns: the topics that could not be changed, with the reason.
    func configureTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: LogError]

    /// Describes topics; missing ones are left out. It is not cached, so that a deleted and recreated topic is
    /// distinguished from the one before.
    func describeTopics(_ names: [TopicName]) async throws -> [TopicName: TopicDescription]

    /// The names of all topics that begin with a text.
    func topics(withPrefix prefix: String) async throws -> [TopicName]

    /// Deletes topics with all they hold. A topic that does not exist is success.
    /// - Returns: those that could not be deleted, and why; the others are gone.
    /// - Throws: what concerns all of them, such as `LogError.unavailable`.
    func deleteTopics(_ names: [TopicName]) async throws -> [TopicName: LogError]

    /// Returns the offsets that partitions hold.
    /// - Throws: `LogError.unknownTopic`.
    func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds]

    /// Makes a writer. Each stage has its own, so that the failure of one does not touch the others.
    func makeWriter() async throws -> any LogWriter

    /// Reads a partition from an offset on, without end.
    /// - Throws: `LogError.unknownTopic`, `LogError.offsetOutOfRange`, from here or from the first `next()`.
    func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower

    /// Reads the existing entries of a partition from an offset on: as `follow`, for callers that read to the end and
    /// then leave. Beyond the end it reads only while `next` is awaited, so that an idle reader costs the log nothing,
    /// and `next` at the end reports the end at once.
    /// - Throws: as `follow`.
    func look(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower

    /// The longest that a broker that lost leadership may report stale ends.
    var staleBoundsMax: Duration { get }

    /// Becomes a member of a group: its members share the topics' partitions.
    func join(_ group: GroupName, topics: [TopicName]) async throws -> any LogMembership

    /// Returns the next offsets that a group has committed; nil if the log does not report them.
    func committedOffsets(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: Int64]?

    /// Takes over the state of an input partition: first fences its former owner, then reads state and offset.
    ///
    /// Both are of the same commit, the last one of any session, whatever end a broker reports: one that comes back
    /// reports stale ends. On Kafka the session commits a unique number and reads up to it, and the offset is part of
    /// the state; the embedded logs read both in one transaction.
    func takeOver(_ claim: StateClaim) async throws -> any LogStateSession

    /// Ends followers, memberships and writers, and lets go of files and connections.
    func close() async
}

extension EventLog {
    /// Leaves topics as they are: what logs do that only tests use.
    package func configureTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: LogError] { [:] }

    /// Follows: what logs do that only tests use.
    package func look(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        try await follow(partition, from: offset)
    }

    /// None: what embedded logs do, whose ends are always true.
    package var staleBoundsMax: Duration { .zero }

    /// Returns nothing: the default for logs that only tests use.
    package func committedOffsets(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: Int64]? { nil }

    /// Makes topics of which none may be missing.
    /// - Throws: also the failure of a single one.
    package func requireTopics(_ specifications: [TopicSpecification]) async throws {
        let outcomes = try await createTopics(specifications)
        for specification in specifications {
            if case .failed(let error)? = outcomes[specification.name] { throw error }
        }
    }

    /// Makes a writer for some work, and closes it when the work has ended, also by an error.
    package func withWriter<Value>(_ work: (any LogWriter) async throws -> Value) async throws -> Value {
        let writer = try await makeWriter()
        let value: Value
        do {
            value = try await work(writer)
        } catch {
            await writer.close()
            throw error
        }
        await writer.close()
        return value
    }
}
