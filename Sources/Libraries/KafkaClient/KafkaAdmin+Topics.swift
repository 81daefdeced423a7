import CRDKafka

extension KafkaAdmin {
    /// A controller refuses requests that would write more than 10,000 records at once.
    private static let recordsMax = 9_000
    private static let namesMax = 5_000

    /// Creates topics, as many in one request as a controller takes, which is thousands. One that exists fails with
    /// `KafkaError.isTopicPresent`, whatever its properties. Brokers may learn of a new topic some milliseconds later.
    package func createTopics(
        _ topics: [KafkaNewTopic]
    ) async throws(KafkaError) -> [String: Result<Void, KafkaError>] {
        var results: [String: Result<Void, KafkaError>] = [:]
        var rest = topics[...]
        while let first = rest.first {
            var (count, records) = (1, first.records)
            for topic in rest.dropFirst() {
                records += topic.records
                if records > Self.recordsMax { break }
                count += 1
            }
            let part = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            try await results.merge(create(part)) { $1 }
        }
        return results
    }

    /// Deletes topics, thousands in one request. One that does not exist fails with `KafkaError.isTopicAbsent`.
    package func deleteTopics(_ names: [String]) async throws(KafkaError) -> [String: Result<Void, KafkaError>] {
        var results: [String: Result<Void, KafkaError>] = [:]
        for start in stride(from: 0, to: names.count, by: Self.namesMax) {
            let part = Array(names[start..<min(start + Self.namesMax, names.count)])
            try await results.merge(delete(part)) { $1 }
        }
        return results
    }

    private func create(_ topics: [KafkaNewTopic]) async throws(KafkaError) -> [String: Result<Void, KafkaError>] {
        let attempt = "create \(topics.count) topics"
        return try await run(attempt) { client, milliseconds in
            var results: [String: Result<Void, KafkaError>] = [:]
            var requests: [OpaquePointer?] = []
            for topic in topics {
                switch Self.native(topic) {
                case .success(let request): requests.append(request)
                case .failure(let error): results[topic.name] = .failure(error)
                }
            }
            guard !requests.isEmpty else { return .success(results) }
            defer { rd_kafka_NewTopic_destroy_array(&requests, requests.count) }
            return Self.request(attempt, client, milliseconds, RD_KAFKA_ADMIN_OP_CREATETOPICS) { options, queue in
                rd_kafka_CreateTopics(client, &requests, requests.count, options, queue)
            } read: { event in
                var count = 0
                let answers = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count)
                Self.read(answers, count, "create", into: &results)
                return results
            }
        }
    }

    private func delete(_ names: [String]) async throws(KafkaError) -> [String: Result<Void, KafkaError>] {
        let attempt = "delete \(names.count) topics"
        return try await run(attempt) { client, milliseconds in
            var requests = names.map { rd_kafka_DeleteTopic_new($0) }
            defer { rd_kafka_DeleteTopic_destroy_array(&requests, requests.count) }
            return Self.request(attempt, client, milliseconds, RD_KAFKA_ADMIN_OP_DELETETOPICS) { options, queue in
                rd_kafka_DeleteTopics(client, &requests, requests.count, options, queue)
            } read: { event in
                var results: [String: Result<Void, KafkaError>] = [:]
                var count = 0
                let answers = rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event), &count)
                Self.read(answers, count, "delete", into: &results)
                return results
            }
        }
    }

    private static func native(_ topic: KafkaNewTopic) -> Result<OpaquePointer?, KafkaError> {
        var failure = ""
        var request: OpaquePointer?
        withReasonBuffer { reason in
            request = rd_kafka_NewTopic_new(
                topic.name, Int32(clamping: topic.partitions), Int32(clamping: topic.replicationFactor),
                reason.baseAddress, reason.count)
            if request == nil { failure = String(cString: reason.baseAddress!) }
        }
        guard let request else { return .failure(.invalid("could not create topic \(topic.name): \(failure)")) }
        for (name, value) in topic.configuration {
            let code = rd_kafka_NewTopic_set_config(request, name, value)
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
                rd_kafka_NewTopic_destroy(request)
                return .failure(KafkaError(code, "set \(name) of the new topic \(topic.name)"))
            }
        }
        return .success(request)
    }

    private static func read(
        _ answers: UnsafeMutablePointer<OpaquePointer?>?, _ count: Int, _ verb: String,
        into results: inout [String: Result<Void, KafkaError>]
    ) {
        for answer in UnsafeBufferPointer(start: answers, count: count) {
            let name = String(cString: rd_kafka_topic_result_name(answer))
            let code = rd_kafka_topic_result_error(answer)
            let detail = rd_kafka_topic_result_error_string(answer).map { String(cString: $0) }
            results[name] =
                code == RD_KAFKA_RESP_ERR_NO_ERROR
                ? .success(()) : .failure(KafkaError(code, "\(verb) topic \(name)", detail: detail))
        }
    }
}
