package import EventLog
import KafkaClient
import Timing

extension KafkaLog {
    /// The topic of Kafka's own that shows how many brokers a cluster is meant to have while some are down.
    private static let offsetsTopic = "__consumer_offsets"
    private static let replicasMax = 3
    /// The longest wait until a broker knows a new topic.
    private static let knownMax = Duration.seconds(60)
    private static let unknownYet = "a topic was made, and brokers do not know it \(knownMax) later; try again"
    /// The pause before the same is asked again.
    private static let secondLook = Duration.milliseconds(100)
    /// The longest wait for a commit under way: one that its owner has left takes until its transaction's time is over.
    /// So long is asked again as well while a broker answers that it is not the coordinator, or not yet; that none
    /// answers fails after a question's time.
    private static let commitMax = Duration.seconds(30)

    package func identity() async throws -> String {
        try await translating {
            guard let identifier = try await asking.admin().clusterDescription().clusterID else {
                throw LogError.unavailable("the cluster did not say its ID")
            }
            return identifier
        }
    }

    /// Waits until a broker knows the new topics, at most a minute; then they failed, and a caller that tries again
    /// finds them.
    package func createTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: TopicCreation] {
        guard !specifications.isEmpty else { return [:] }
        return try await translating {
            let replicas = try await replicationFactors(specifications)
            // Any model has those of the cluster.
            let defaults =
                if let model = specifications.lazy.compactMap(\.replicatedAs).first {
                    await self.defaults(reportedBy: model)
                } else { [String: String]() }
            let answers = try await admin.createTopics(
                specifications.map { topic in
                    newTopic(topic, replicas[topic.replicatedAs] ?? 1, topic.replicatedAs == nil ? [:] : defaults)
                })
            var results: [TopicName: TopicCreation] = [:]
            for specification in specifications {
                switch answers[specification.name.rawValue] {
                case .success?:
                    results[specification.name] = .created
                    limits.note(specification.name, specification.messageBytesMax)
                case .failure(let error)? where error.isTopicPresent: results[specification.name] = .existed
                case .failure(let error)?: results[specification.name] = .failed(LogError(error))
                case nil:
                    results[specification.name] = .failed(
                        .broken("the cluster gave no result of creating \(specification.name)"))
                }
            }
            let created = specifications.filter { results[$0.name] == .created }
            if let topic = created.last, try await !isKnown(topic) {
                for topic in created { results[topic.name] = .failed(.unavailable(Self.unknownYet)) }
            }
            return results
        }
    }

    /// Asks until a broker knows a new topic, so that the next writer does not meet one that does not exist yet.
    ///
    /// Mostly that takes milliseconds. But a broker applies one change of its metadata after another, and waits for
    /// its group coordinator in each that deletes topics, for up to `offsets.commit.timeout.ms` (5 s): on a busy
    /// machine these waits add up.
    ///
    /// The topics of a request come to a broker together, so it is asked for one alone: the answer for many costs
    /// librdkafka many times what making them costs the broker.
    private func isKnown(_ topic: TopicSpecification) async throws(KafkaError) -> Bool {
        let partitions = (0..<topic.partitions).map {
            KafkaTopicPartition(topic: topic.name.rawValue, partition: $0)
        }
        return try await asking.admin(for: [topic.name]).absent(among: partitions, patience: Self.knownMax).isEmpty
    }

    /// Takes a topic as made elsewhere as specified, and so never asks the cluster for its settings.
    package func assume(_ specification: TopicSpecification) {
        limits.note(specification.name, specification.messageBytesMax)
    }

    /// The cluster's defaults, read from those of a topic that is there: that takes no right but to describe it.
    private func defaults(reportedBy model: TopicName) async -> [String: String] {
        if let known = topicDefaults.settings { return known }
        // Without them a topic gets all its settings as its own.
        let found = try? await asking.admin().describeTopics([model.rawValue], configuration: true)
        guard let defaults = try? found?[model.rawValue]?.get().defaults else { return [:] }
        topicDefaults.keep(defaults)
        return defaults
    }

    private func newTopic(
        _ specification: TopicSpecification, _ replicas: Int, _ defaults: [String: String]
    ) -> KafkaNewTopic {
        var settings = TopicSettings(specification, replicas: replicas).own(beside: defaults)
        if specification.isSource { settings[TopicIncarnation.setting] = String(TopicIncarnation.random()) }
        return KafkaNewTopic(
            name: specification.name.rawValue, partitions: Int(specification.partitions), replicationFactor: replicas,
            configuration: settings)
    }

    /// Returns the numbers of replicas, by the topic that each topic is to be replicated as. They do not depend on
    /// which brokers happen to be up: a topic that was made while one was down would keep too few for good.
    private func replicationFactors(_ specifications: [TopicSpecification]) async throws -> [TopicName?: Int] {
        let models = Set(specifications.map(\.replicatedAs))
        if configuration.replicationFactor > 0 {
            return Dictionary(uniqueKeysWithValues: models.map { ($0, configuration.replicationFactor) })
        }
        let names = models.compactMap { $0?.rawValue } + [Self.offsetsTopic]
        let found = try await asking.admin().describeTopics(names)
        var replicas: [TopicName?: Int] = [:]
        for model in models.compactMap(\.self) { replicas[model] = try Self.replicas(found[model.rawValue]) }
        guard replicas.count < models.count else { return replicas }
        let brokers = try await asking.admin().clusterDescription().brokers.count
        let meant = min(Self.replicasMax, max(1, brokers, try Self.replicas(found[Self.offsetsTopic]) ?? 1))
        for model in models where replicas[model] == nil { replicas[model] = meant }
        return replicas
    }

    /// The number of replicas of a topic; nil of one that is missing, or that we may not describe.
    /// - Throws: if a broker cannot describe the topic yet: a topic created meanwhile would keep too few.
    static func replicas(
        _ answer: Result<KafkaTopicDescription, KafkaError>?
    ) throws(KafkaError) -> Int? {
        do throws(KafkaError) {
            return try answer?.get().partitions.first?.replicas.count
        } catch {
            guard error.isTopicAbsent || error.isTopicForbidden else { throw error }
            return nil
        }
    }

    package func configureTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: LogError] {
        guard !specifications.isEmpty else { return [:] }
        return try await translating {
            let names = specifications.map(\.name.rawValue)
            let found = try await asking.admin().describeTopics(names, configuration: true)
            var changes: [String: [String: String?]] = [:]
            for specification in specifications {
                guard let present = found[specification.name.rawValue] else { continue }
                if case .failure(let error) = present, error.isTopicAbsent { continue }
                let wished = TopicSettings.changes(specification, try present.get())
                if !wished.isEmpty { changes[specification.name.rawValue] = wished }
            }
            guard !changes.isEmpty else { return [:] }
            limits.forget(specifications.map(\.name))
            return try await admin.alterConfigurations(changes).failures
        }
    }

    /// Asks twice, and until both answers have the same incarnations: a broker that comes back after a pause reports
    /// its old state for a moment. Each request may go to another broker.
    package func describeTopics(_ names: [TopicName]) async throws -> [TopicName: TopicDescription] {
        var found = try await describe(names)
        while found.values.contains(where: { $0.incarnation != nil }) {
            try await Time.sleep(for: Self.secondLook)
            let again = try await describe(names)
            if again.mapValues(\.incarnation) == found.mapValues(\.incarnation) { return again }
            found = again
        }
        return found
    }

    /// Describes topics by one answer of some broker.
    func describe(_ names: [TopicName]) async throws -> [TopicName: TopicDescription] {
        try await translating {
            let answers = try await asking.admin(for: names).describeTopics(names.map(\.rawValue), configuration: true)
            var found: [TopicName: TopicDescription] = [:]
            for name in names {
                switch answers[name.rawValue] {
                case .success(let description)?: found[name] = TopicSettings.description(name, description)
                case .failure(let error)? where !error.isTopicAbsent: throw error
                default: continue
                }
            }
            for (name, topic) in found { limits.note(name, topic.messageBytesMax) }
            return found
        }
    }

    package func topics(withPrefix prefix: String) async throws -> [TopicName] {
        try await translating {
            try await asking.admin().describeTopics().keys.filter { $0.hasPrefix(prefix) }.map { TopicName($0) }
                .sorted()
        }
    }

    package func deleteTopics(_ names: [TopicName]) async throws -> [TopicName: LogError] {
        guard !names.isEmpty else { return [:] }
        return try await translating {
            let failures = try await admin.deleteTopics(names.map(\.rawValue)).failures
            limits.forget(names)
            return failures
        }
    }

    package func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        do {
            let answers = try await asking.admin(for: partitions.map(\.topic)).watermarks(of: partitions.map(\.kafka))
            var bounds: [TopicPartition: OffsetBounds] = [:]
            for partition in partitions {
                switch answers[partition.kafka] {
                case .success(let marks)?: bounds[partition] = OffsetBounds(start: marks.low, end: marks.high)
                case .failure(let error)?:
                    throw error.isTopicAbsent ? LogError.unknownTopic("\(partition)") : LogError(error)
                case nil: throw LogError.unknownTopic("\(partition)")
                }
            }
            return bounds
        } catch let error as KafkaError {
            throw error.isTopicAbsent
                ? LogError.unknownTopic("\(partitions.first?.topic.rawValue ?? "?")") : LogError(error)
        }
    }

    /// Removes entries below offsets.
    package func truncate(_ offsets: [TopicPartition: Int64]) async throws {
        do {
            let wanted = Dictionary(offsets.map { ($0.key.kafka, $0.value) }) { first, _ in first }
            for (_, result) in try await admin.deleteRecords(below: wanted) { _ = try result.get() }
        } catch {
            throw LogError(error)
        }
    }

    /// The time after which Kafka's controller takes a broker without heartbeats for dead (`broker.session.timeout.ms`,
    /// 9 s by default), and a second for the broker to learn it.
    package var staleBoundsMax: Duration { .seconds(10) }

    package func committedOffsets(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: Int64]? {
        try await committedPositions(of: group, partitions).mapValues(\.offset)
    }

    /// The positions that a group has committed; waits for transactions under way that commit one, and while brokers
    /// answer that the coordinator moves. Text that is not ours, or belongs to another offset, is a position that has
    /// seen nothing. Kafka forgets the offsets of a group that is empty for long (`offsets.retention.minutes`): stages
    /// then start at the first retained entry, and names keep that from doubling anything.
    package func committedPositions(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: LogPosition] {
        let deadline = Time.now + Self.commitMax
        return try await translating {
            while true {
                do {
                    let found = try await asking.admin().groupOffsets(
                        group.rawValue, partitions: partitions.map(\.kafka))
                    return LogPosition.positions(found)
                } catch let error as KafkaError
                    where (error.isCommitUnderWay || error.isCoordinatorMoving) && Time.now < deadline
                {
                    try await Time.sleep(for: Self.secondLook)
                }
            }
        }
    }
}

extension [String: Result<Void, KafkaError>] {
    /// The failures by topic; that a topic is absent is none.
    fileprivate var failures: [TopicName: LogError] {
        var failures: [TopicName: LogError] = [:]
        for (name, result) in self {
            guard case .failure(let error) = result, !error.isTopicAbsent else { continue }
            failures[TopicName(name)] = LogError(error)
        }
        return failures
    }
}

extension LogPosition {
    /// Positions as they were committed; one without a text of ours has seen nothing.
    static func positions(
        _ committed: [KafkaTopicPartition: KafkaCommittedOffset]
    ) -> [TopicPartition: LogPosition] {
        Dictionary(
            committed.map { partition, position in
                let read = LogPosition(metadata: position.metadata, offset: position.offset)
                return (TopicPartition(partition), read ?? LogPosition(offset: position.offset))
            }
        ) { first, _ in first }
    }
}
