package import EventLog
import KafkaClient

extension KafkaLog {
    package func identity() async throws -> String {
        do {
            guard let identifier = try await admin.clusterDescription().clusterID else {
                throw LogError.unavailable("the cluster did not say its ID")
            }
            return identifier
        } catch let error as KafkaError {
            throw LogError(error)
        }
    }

    package func createTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: TopicCreation] {
        guard !specifications.isEmpty else { return [:] }
        do {
            let replicas = try await replicationFactor()
            try await giveIncarnations(to: specifications.filter(\.isSource), replicas)
            let answers = try await admin.createTopics(specifications.map { newTopic($0, replicas) })
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
                        .broken("the cluster did not say what came of creating \(specification.name)"))
                }
            }
            try await waitUntilKnown(results.filter { $0.value == .created }.map(\.key))
            return results
        } catch let error as KafkaError {
            throw LogError(error)
        }
    }

    /// Brokers learn of new topics a moment after the controller has made them: waits for that, so that the next writer
    /// does not meet a topic that does not exist yet. After ten seconds that is the writer's responsibility.
    private func waitUntilKnown(_ topics: [TopicName]) async throws {
        guard !topics.isEmpty else { return }
        let names = topics.map(\.rawValue)
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            let found = try await admin.describeTopics(names)
            let isKnown = names.allSatisfy { name in
                guard case .success(let topic)? = found[name] else { return false }
                return topic.partitions.allSatisfy { $0.leader >= 0 }
            }
            if isKnown { return }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Takes a topic as made elsewhere as specified, and so never asks the cluster for its settings.
    package func assume(_ specification: TopicSpecification) {
        limits.note(specification.name, specification.messageBytesMax)
    }

    private func newTopic(_ specification: TopicSpecification, _ replicas: Int) -> KafkaNewTopic {
        var configuration = [
            "max.message.bytes": String(specification.messageBytesMax + Self.overheadBytes),
            "min.insync.replicas": String(max(1, min(2, replicas - 1))),
            "unclean.leader.election.enable": "false",
        ]
        if specification.agesFromAppend { configuration["message.timestamp.type"] = "LogAppendTime" }
        switch specification.cleanup {
        case .delete(let milliseconds):
            configuration["cleanup.policy"] = "delete"
            configuration["retention.ms"] = String(milliseconds)
        case .compact:
            configuration["cleanup.policy"] = "compact"
            // Only closed segments are compacted. The lag keeps what a reader that is starting has still to see.
            configuration["segment.ms"] = "3600000"
            configuration["segment.bytes"] = String(64 << 20)
            configuration["min.cleanable.dirty.ratio"] = "0.2"
            configuration["min.compaction.lag.ms"] = "600000"
        }
        return KafkaNewTopic(
            name: specification.name.rawValue, partitions: Int(specification.partitions), replicationFactor: replicas,
            configuration: configuration)
    }

    private func replicationFactor() async throws -> Int {
        if configuration.replicationFactor > 0 { return configuration.replicationFactor }
        return min(3, max(1, try await admin.clusterDescription().brokers.count))
    }

    package func describeTopics(_ names: [TopicName]) async throws -> [TopicName: TopicDescription] {
        do {
            let answers = try await admin.describeTopics(names.map(\.rawValue), configuration: true)
            var found: [TopicName: TopicDescription] = [:]
            for name in names {
                switch answers[name.rawValue] {
                case .success(let description)?: found[name] = topic(name, description)
                case .failure(let error)? where !error.isTopicAbsent: throw error
                default: continue
                }
            }
            let incarnations = try await incarnations(of: Array(found.keys))
            for (name, incarnation) in incarnations { found[name]?.incarnation = incarnation }
            for (name, topic) in found { limits.note(name, topic.messageBytesMax) }
            return found
        } catch let error as KafkaError {
            throw LogError(error)
        }
    }

    private func topic(_ name: TopicName, _ description: KafkaTopicDescription) -> TopicDescription {
        let settings = description.configuration
        let retention = settings["retention.ms"].flatMap { Int64($0) } ?? -1
        let isCompacted = settings["cleanup.policy"]?.contains("compact") ?? false
        return TopicDescription(
            name: name, partitions: Int32(description.partitions.count),
            cleanup: isCompacted ? .compact : .delete(afterMilliseconds: retention),
            messageBytesMax: (settings["max.message.bytes"].flatMap { Int($0) } ?? 1 << 20) - Self.overheadBytes,
            incarnation: nil, replicationFactor: description.partitions.first?.replicas.count ?? 0)
    }

    package func topics(withPrefix prefix: String) async throws -> [TopicName] {
        do {
            return try await admin.describeTopics().keys.filter { $0.hasPrefix(prefix) }.map { TopicName($0) }.sorted()
        } catch {
            throw LogError(error)
        }
    }

    package func deleteTopics(_ names: [TopicName]) async throws -> [TopicName: LogError] {
        guard !names.isEmpty else { return [:] }
        do {
            var failures: [TopicName: LogError] = [:]
            for (name, result) in try await admin.deleteTopics(names.map(\.rawValue)) {
                guard case .failure(let error) = result, !error.isTopicAbsent else { continue }
                failures[TopicName(name)] = LogError(error)
            }
            limits.forget(names)
            return failures
        } catch {
            throw LogError(error)
        }
    }

    package func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        do {
            let answers = try await admin.watermarks(of: partitions.map(\.kafka))
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

    /// The positions that a group has committed.
    package func committedPositions(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: LogPosition] {
        do {
            return LogPosition.positions(
                try await admin.groupOffsets(group.rawValue, partitions: partitions.map(\.kafka)))
        } catch {
            throw LogError(error)
        }
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
