import CRDKafka

extension KafkaAdmin {
    /// librdkafka can ask for one topic or for all.
    private static let askedOneByOneMax = 16
    /// A controller refuses requests that would write more than 10,000 records at once.
    private static let changedAtOnceMax = 500

    /// Describes topics, or all existing ones; with their configuration, all in one request, if requested. A missing
    /// one fails with `KafkaError.isTopicAbsent`.
    package func describeTopics(
        _ names: [String]? = nil, configuration isWithConfiguration: Bool = false
    ) async throws(KafkaError) -> [String: Result<KafkaTopicDescription, KafkaError>] {
        var results = try await run("describe topics") { client, milliseconds in
            Self.describe(names, client, milliseconds)
        }
        guard isWithConfiguration else { return results }
        let present = results.compactMap { name, result in (try? result.get()) == nil ? nil : name }
        for (name, configured) in try await configurations(of: present) {
            results[name] = results[name]?.flatMap { description in
                configured.map { configured in
                    var description = description
                    description.configuration = configured.mapValues(\.value)
                    description.overrides = configured.filter(\.value.isOverride).mapValues(\.value)
                    description.defaults = configured.compactMapValues(\.defaultValue)
                    return description
                }
            }
        }
        return results
    }

    /// Changes the configuration of topics; nil returns a setting to its default.
    ///
    /// librdkafka 2.0 can only set all of a topic's configuration at once, so this reads it first: two concurrent
    /// changes of one topic may undo each other.
    package func alterConfigurations(
        _ changes: [String: [String: String?]]
    ) async throws(KafkaError) -> [String: Result<Void, KafkaError>] {
        var results: [String: Result<Void, KafkaError>] = [:]
        var merged: [String: [String: String]] = [:]
        for (name, configured) in try await configurations(of: Array(changes.keys)) {
            switch configured {
            case .failure(let error): results[name] = .failure(error)
            case .success(let configured):
                var all = configured.filter(\.value.isOverride).mapValues(\.value)
                for (setting, value) in changes[name] ?? [:] { all[setting] = value }
                merged[name] = all
            }
        }
        let names = merged.keys.sorted()
        for start in stride(from: 0, to: names.count, by: Self.changedAtOnceMax) {
            let part = names[start..<min(start + Self.changedAtOnceMax, names.count)]
            try await results.merge(replaceConfigurations(merged.filter { part.contains($0.key) })) { $1 }
        }
        return results
    }

    private static func describe(
        _ names: [String]?, _ client: OpaquePointer, _ milliseconds: Int32
    ) -> Result<[String: Result<KafkaTopicDescription, KafkaError>], KafkaError> {
        guard let names, names.count <= askedOneByOneMax else {
            return metadata(client, topic: nil, isForAll: true, milliseconds) { metadata in
                let all = descriptions(in: metadata)
                guard let names else { return all }
                let absent = KafkaError(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, "describe a topic")
                return Dictionary(names.map { ($0, all[$0] ?? .failure(absent)) }) { first, _ in first }
            }
        }
        var results: [String: Result<KafkaTopicDescription, KafkaError>] = [:]
        for name in names {
            guard let topic = rd_kafka_topic_new(client, name, nil) else {
                results[name] = .failure(KafkaError(rd_kafka_last_error(), "describe topic \(name)"))
                continue
            }
            defer { rd_kafka_topic_destroy(topic) }
            switch metadata(client, topic: topic, isForAll: false, milliseconds, read: descriptions(in:)) {
            case .failure(let error): return .failure(error)
            case .success(let answer): results.merge(answer) { $1 }
            }
        }
        return .success(results)
    }

    private static func descriptions(
        in metadata: rd_kafka_metadata
    ) -> [String: Result<KafkaTopicDescription, KafkaError>] {
        var results: [String: Result<KafkaTopicDescription, KafkaError>] = [:]
        for topic in UnsafeBufferPointer(start: metadata.topics, count: Int(metadata.topic_cnt)) {
            let name = String(cString: topic.topic)
            guard topic.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
                results[name] = .failure(KafkaError(topic.err, "describe topic \(name)"))
                continue
            }
            let partitions = UnsafeBufferPointer(start: topic.partitions, count: Int(topic.partition_cnt))
            results[name] = .success(
                KafkaTopicDescription(
                    name: name,
                    partitions: partitions.sorted { $0.id < $1.id }.map { partition in
                        KafkaTopicDescription.Partition(
                            leader: partition.leader,
                            replicas: Array(
                                UnsafeBufferPointer(start: partition.replicas, count: Int(partition.replica_cnt))),
                            inSyncReplicas: Array(
                                UnsafeBufferPointer(start: partition.isrs, count: Int(partition.isr_cnt))))
                    }))
        }
        return results
    }
}
