import CRDKafka

extension KafkaAdmin {
    /// One setting of a topic.
    struct Setting: Sendable {
        let value: String
        /// Set for this topic itself, and not by a default or a broker.
        let isOverride: Bool
        /// The value if the topic has none of its own; nil if the cluster does not report it.
        let defaultValue: String?
    }

    /// All settings of topics, in one request.
    func configurations(
        of names: [String]
    ) async throws(KafkaError) -> [String: Result<[String: Setting], KafkaError>] {
        guard !names.isEmpty else { return [:] }
        let attempt = "read the configuration of \(names.count) topics"
        return try await run(attempt) { client, milliseconds in
            var resources = names.map { rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, $0) }
            defer { rd_kafka_ConfigResource_destroy_array(&resources, resources.count) }
            return Self.request(attempt, client, milliseconds, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS) { options, queue in
                rd_kafka_DescribeConfigs(client, &resources, resources.count, options, queue)
            } read: { event in
                var count = 0
                let answers = rd_kafka_DescribeConfigs_result_resources(
                    rd_kafka_event_DescribeConfigs_result(event), &count)
                return Self.read(answers, count, attempt) { Self.settings(of: $0) }
            }
        }
    }

    /// Sets all of the topics' own settings, in one request; others return to their defaults.
    func replaceConfigurations(
        _ settings: [String: [String: String]]
    ) async throws(KafkaError) -> [String: Result<Void, KafkaError>] {
        let attempt = "change the configuration of \(settings.count) topics"
        return try await run(attempt) { client, milliseconds in
            var resources: [OpaquePointer?] = settings.map { name, settings in
                let resource = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name)
                for (setting, value) in settings { rd_kafka_ConfigResource_set_config(resource, setting, value) }
                return resource
            }
            defer { rd_kafka_ConfigResource_destroy_array(&resources, resources.count) }
            return Self.request(attempt, client, milliseconds, RD_KAFKA_ADMIN_OP_ALTERCONFIGS) { options, queue in
                rd_kafka_AlterConfigs(client, &resources, resources.count, options, queue)
            } read: { event in
                var count = 0
                let answers = rd_kafka_AlterConfigs_result_resources(rd_kafka_event_AlterConfigs_result(event), &count)
                return Self.read(answers, count, attempt) { _ in }
            }
        }
    }

    private static func read<Value>(
        _ answers: UnsafeMutablePointer<OpaquePointer?>?, _ count: Int, _ attempt: String,
        _ read: (OpaquePointer) -> Value
    ) -> [String: Result<Value, KafkaError>] {
        var results: [String: Result<Value, KafkaError>] = [:]
        for answer in UnsafeBufferPointer(start: answers, count: count) {
            guard let answer else { continue }
            let name = String(cString: rd_kafka_ConfigResource_name(answer))
            let code = rd_kafka_ConfigResource_error(answer)
            let detail = rd_kafka_ConfigResource_error_string(answer).map { String(cString: $0) }
            results[name] =
                code == RD_KAFKA_RESP_ERR_NO_ERROR
                ? .success(read(answer)) : .failure(KafkaError(code, "\(attempt), at \(name)", detail: detail))
        }
        return results
    }

    private static func settings(of resource: OpaquePointer) -> [String: Setting] {
        var count = 0
        let entries = rd_kafka_ConfigResource_configs(resource, &count)
        var settings: [String: Setting] = [:]
        for entry in UnsafeBufferPointer(start: entries, count: count) {
            guard let entry, let value = rd_kafka_ConfigEntry_value(entry) else { continue }
            settings[String(cString: rd_kafka_ConfigEntry_name(entry))] = Setting(
                value: String(cString: value), isOverride: isOverride(entry), defaultValue: defaultValue(of: entry))
        }
        return settings
    }

    private static func isOverride(_ entry: OpaquePointer) -> Bool {
        rd_kafka_ConfigEntry_source(entry) == RD_KAFKA_CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG
    }

    /// The first value, of those that a broker goes through, that is not the topic's own.
    private static func defaultValue(of entry: OpaquePointer) -> String? {
        var count = 0
        let synonyms = rd_kafka_ConfigEntry_synonyms(entry, &count)
        let values = [entry] + UnsafeBufferPointer(start: synonyms, count: count).compactMap(\.self)
        return values.first { !isOverride($0) }.flatMap(rd_kafka_ConfigEntry_value).map { String(cString: $0) }
    }
}
