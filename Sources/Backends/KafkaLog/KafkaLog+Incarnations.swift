import EventLog
import KafkaClient

/// Kafka gives each topic an ID that librdkafka 2.0 cannot ask for, so the incarnations of sources are kept in a small
/// compacted topic of their own, written before the topic they belong to is created (`docs/decisions/0002`).
extension KafkaLog {
    private var registry: TopicPartition { TopicPartition(TopicName(configuration.incarnationsTopic)) }

    /// Gives new incarnations to those topics that do not exist yet.
    func giveIncarnations(to specifications: [TopicSpecification], _ replicas: Int) async throws {
        guard !specifications.isEmpty else { return }
        let answers = try await admin.describeTopics(specifications.map(\.name.rawValue))
        let absent = specifications.filter { specification in
            if case .failure(let error)? = answers[specification.name.rawValue] { error.isTopicAbsent } else { false }
        }
        guard !absent.isEmpty else { return }
        try await makeRegistry(replicas)
        // Also when it failed, as some may be written.
        defer { cacheIncarnations([:]) }
        try await withWriter { writer in
            try await writer.append(
                absent.map { specification in
                    let text = String(UInt64.random(in: 1 ... .max), radix: 16)
                    return OutgoingEntry(
                        registry, key: Array(specification.name.rawValue.utf8), value: Array(text.utf8),
                        timestamp: LogTimestamp(milliseconds: 0))
                })
        }
    }

    /// The incarnations of topics; those of topics that are no sources are absent.
    func incarnations(of names: [TopicName]) async throws -> [TopicName: UInt64] {
        let cached = cachedIncarnations(names)
        if cached.count == names.count { return cached }
        let all: [TopicName: UInt64]
        do {
            all = try await readRegistry()
        } catch LogError.unknownTopic {
            return [:]
        }
        cacheIncarnations(all)
        return all.filter { names.contains($0.key) }
    }

    private func readRegistry() async throws -> [TopicName: UInt64] {
        let start = try await bounds(of: [registry])[registry]?.start ?? 0
        let follower = try await follow(registry, from: start)
        defer { follower.close() }
        var incarnations: [TopicName: UInt64] = [:]
        while true {
            let batch = try await follower.next()
            for entry in batch.entries {
                guard let key = entry.key, let value = entry.value else { continue }
                let name = TopicName(String(decoding: key, as: UTF8.self))
                incarnations[name] = UInt64(String(decoding: value, as: UTF8.self), radix: 16)
            }
            if batch.isAtEnd { return incarnations }
        }
    }

    private func makeRegistry(_ replicas: Int) async throws {
        let specification = TopicSpecification(
            name: registry.topic, partitions: 1, cleanup: .compact, messageBytesMax: 1 << 20)
        try await requireTopics([specification])
    }
}
