/// The log port: topics of ordered partitions. Backends: `MemoryLog`, `SQLiteLog`, `KafkaLog`; the suite
/// `LogConformance` says what they have in common.
package protocol EventLog: Sendable {
    /// Identifies the log itself: the same for all who use it and for as long as it lives, and another one where it was
    /// made anew. On Kafka the cluster's ID; the embedded logs make one with their files.
    func identity() async throws -> String

    /// Makes topics, many in one request. A topic that is there already stays as it is.
    /// - Returns: what came of each: one that cannot be made leaves the others alone.
    /// - Throws: what concerns all of them, such as `LogError.unavailable`.
    func createTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: TopicCreation]

    /// Brings topics that are there to what is wished, as far as a topic can be changed: how it is cleaned up, the largest
    /// entry, and an incarnation where it has none. Those that do not exist are left out.
    /// - Returns: those that could not be changed, and why.
    func configureTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: LogError]

    /// Describes topics; those that do not exist are left out. It is asked anew each time, so that a topic which was
    /// deleted and made again is told from the one before, whoever did it.
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

    /// Reads a partition from an offset on, for ever.
    /// - Throws: `LogError.unknownTopic`, `LogError.offsetOutOfRange`, from here or from the first `next()`.
    func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower

    /// Reads what a partition holds from an offset on: as `follow`, for those who read to the end and then leave. Beyond the end it
    /// reads only while `next` is awaited, so that what lies idle costs the log nothing, and `next` at the end tells the end at once.
    /// - Throws: as `follow`.
    func look(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower

    /// The bounds of partitions for whom it is enough what they were a while ago: a log that has asked since need not ask again.
    /// - Parameter age: the time that what is told may be old.
    func bounds(
        of partitions: [TopicPartition], notOlderThan age: Duration
    ) async throws -> [TopicPartition: OffsetBounds]

    /// Reads as `look` does, for who was told just now what the partition holds: a log that would ask for it need not.
    func look(
        _ partition: TopicPartition, from offset: Int64, holding bounds: OffsetBounds
    ) async throws -> any LogFollower

    /// The time for which an end that was told may be an old one: a broker that led before may not know yet that others do.
    var oldEndsLast: Duration { get }

    /// Becomes a member of a group: its members share the topics' partitions.
    func join(_ group: GroupName, topics: [TopicName]) async throws -> any LogMembership

    /// Returns the next offsets that a group has committed; nil where the log does not tell.
    func committedOffsets(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: Int64]?

    /// Takes over the state that belongs to an input partition: first fences its former owner, then reads state and offset.
    ///
    /// Both are of the same commit, the last one that any session made: what a broker tells of an end does not matter, as
    /// one that was away for a while tells old ones. On Kafka the session commits a number of its own and reads until it
    /// meets it, and the offset stands in the state; the embedded logs read both in one transaction.
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

    /// Asks: what logs do that remember nothing.
    package func bounds(
        of partitions: [TopicPartition], notOlderThan age: Duration
    ) async throws -> [TopicPartition: OffsetBounds] {
        try await bounds(of: partitions)
    }

    /// Looks: what logs do that ask for nothing before they read.
    package func look(
        _ partition: TopicPartition, from offset: Int64, holding bounds: OffsetBounds
    ) async throws -> any LogFollower {
        try await look(partition, from: offset)
    }

    /// None: what embedded logs do, whose ends are always true.
    package var oldEndsLast: Duration { .zero }

    /// Tells nothing: what logs do that only tests use.
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
