import CRDKafka

extension KafkaAdmin {
    /// The time after which a question for offsets has to make room for others.
    private static let hasteMilliseconds: Int32 = 1_000

    /// Returns the offsets at the ends of partitions, by two requests a leader however many they are. The high
    /// watermark is that of committed transactions, unless `isolation.level` is `read_uncommitted`. A partition that
    /// does not exist fails with `KafkaError.isTopicAbsent`.
    ///
    /// A question whose leader does not answer within a second is asked again on threads of its own kind, so that those
    /// for other leaders need not wait for it.
    package func watermarks(
        of partitions: [KafkaTopicPartition]
    ) async throws(KafkaError) -> [KafkaTopicPartition: Result<KafkaWatermarks, KafkaError>] {
        do throws(KafkaError) {
            return try await watermarks(of: partitions, on: calls, atMost: Self.hasteMilliseconds)
        } catch {
            guard error.isRetriable, !Task.isCancelled else { throw error }
        }
        return try await watermarks(of: partitions, on: patientCalls, atMost: .max)
    }

    private func watermarks(
        of partitions: [KafkaTopicPartition], on threads: CallThreads, atMost most: Int32
    ) async throws(KafkaError) -> [KafkaTopicPartition: Result<KafkaWatermarks, KafkaError>] {
        let client = client
        let attempt = "ask for the offsets of \(Client.summary(partitions))"
        return try await run(attempt, on: threads) { _, milliseconds in
            let limit = min(milliseconds, most)
            let low = client.offsets(at: .earliest, of: partitions, milliseconds: limit)
            return low.flatMap { low in
                client.offsets(at: .latest, of: partitions, milliseconds: limit).map { high in
                    Dictionary(
                        low.map { partition, low in
                            let high = high[partition] ?? .failure(.invalid("no answer for \(partition)"))
                            return (partition, low.flatMap { low in high.map { KafkaWatermarks(low: low, high: $0) } })
                        }
                    ) { first, _ in first }
                }
            }
        }
    }

    /// Returns the partitions that do not exist, after repeated requests for up to `patience`: a new topic is unknown
    /// to brokers for a moment. One request asks for all of them, and for no others.
    package func absent(
        among partitions: [KafkaTopicPartition], patience: Duration
    ) async throws(KafkaError) -> Set<KafkaTopicPartition> {
        let client = client
        return try await run("ask whether \(Client.summary(partitions)) exist", on: patientCalls) { _, milliseconds in
            client.absent(among: partitions, patience: patience, milliseconds: milliseconds)
        }
    }

    /// Deletes the messages below the given offsets (-1 for all), and returns the offsets of the first ones left.
    package func deleteRecords(
        below offsets: [KafkaTopicPartition: Int64]
    ) async throws(KafkaError) -> [KafkaTopicPartition: Result<Int64, KafkaError>] {
        guard !offsets.isEmpty else { return [:] }
        let attempt = "delete records of \(Client.summary(offsets.keys))"
        return try await run(attempt) { client, milliseconds in
            let list = TopicPartitionList(offsets)
            var requests = [list.withPointer { rd_kafka_DeleteRecords_new($0) }]
            defer { rd_kafka_DeleteRecords_destroy_array(&requests, 1) }
            return Self.request(attempt, client, milliseconds, RD_KAFKA_ADMIN_OP_DELETERECORDS) { options, queue in
                rd_kafka_DeleteRecords(client, &requests, 1, options, queue)
            } read: { event in
                let answers = rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event))!
                return Self.results(of: answers) {
                    KafkaError($0.code, "delete records of \($0.partition)")
                } value: {
                    $0.offset
                }
            }
        }
    }

    /// The entries of a list by partition.
    static func results<Value>(
        of list: UnsafePointer<rd_kafka_topic_partition_list_t>, error: (TopicPartitionList.Entry) -> KafkaError,
        value: (TopicPartitionList.Entry) -> Value
    ) -> [KafkaTopicPartition: Result<Value, KafkaError>] {
        let results = TopicPartitionList.entries(of: list).map { entry in
            (
                entry.partition,
                entry.code == RD_KAFKA_RESP_ERR_NO_ERROR
                    ? Result.success(value(entry)) : Result<Value, KafkaError>.failure(error(entry))
            )
        }
        return Dictionary(results) { first, _ in first }
    }
}
