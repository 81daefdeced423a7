import CRDKafka

extension KafkaAdmin {
    /// Returns the offsets at the ends of partitions, by two requests a leader however many they are. The high
    /// watermark is that of committed transactions, unless `isolation.level` is `read_uncommitted`. A partition that
    /// does not exist fails with `KafkaError.isTopicAbsent`.
    package func watermarks(
        of partitions: [KafkaTopicPartition]
    ) async throws(KafkaError) -> [KafkaTopicPartition: Result<KafkaWatermarks, KafkaError>] {
        let client = client
        return try await run("ask for the offsets of \(Client.summary(partitions))") { _, milliseconds in
            let low = client.offsets(at: .earliest, of: partitions, milliseconds: milliseconds)
            let high = client.offsets(at: .latest, of: partitions, milliseconds: milliseconds)
            return low.flatMap { low in
                high.map { high in
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
