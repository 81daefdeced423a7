import CRDKafka

extension KafkaAdmin {
    /// Describes groups, many in one request. One that does not exist is described as `Dead` by most brokers, and fails
    /// on newer ones.
    package func describeGroups(
        _ groups: [String]
    ) async throws(KafkaError) -> [String: Result<KafkaGroupDescription, KafkaError>] {
        guard !groups.isEmpty else { return [:] }
        let attempt = "describe \(groups.count) groups"
        return try await run(attempt) { client, milliseconds in
            let names = groups.map { Self.cString($0) }
            defer { for name in names { name.deallocate() } }
            var pointers: [UnsafePointer<CChar>?] = names.map { UnsafePointer($0.baseAddress) }
            return Self.request(
                attempt, client, milliseconds, RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS
            ) { options, queue in
                rd_kafka_DescribeConsumerGroups(client, &pointers, pointers.count, options, queue)
            } read: { event in
                var count = 0
                let answers = rd_kafka_DescribeConsumerGroups_result_groups(
                    rd_kafka_event_DescribeConsumerGroups_result(event), &count)
                return Self.descriptions(UnsafeBufferPointer(start: answers, count: count))
            }
        }
    }

    /// The committed offsets of a group; partitions without one are left out. Waits for open transactions that change
    /// them, as long as a call may take.
    package func groupOffsets(
        _ group: String, partitions: [KafkaTopicPartition]
    ) async throws(KafkaError) -> [KafkaTopicPartition: KafkaCommittedOffset] {
        guard !partitions.isEmpty else { return [:] }
        let attempt = "read what group \(group) committed"
        let questions = groupQuestions
        return try await run(attempt) { _, milliseconds in
            questions.committed(partitions, by: group, attempt, milliseconds: milliseconds)
        }
    }

    /// Forgets what a group committed for partitions; it must have no member that reads their topics.
    package func deleteGroupOffsets(
        _ group: String, partitions: [KafkaTopicPartition]
    ) async throws(KafkaError) -> [KafkaTopicPartition: Result<Void, KafkaError>] {
        guard !partitions.isEmpty else { return [:] }
        let attempt = "delete offsets of group \(group)"
        let answer = try await run(attempt) { client, milliseconds in
            let list = TopicPartitionList(partitions)
            var requests = [list.withPointer { rd_kafka_DeleteConsumerGroupOffsets_new(group, $0) }]
            defer { rd_kafka_DeleteConsumerGroupOffsets_destroy_array(&requests, 1) }
            return Self.request(
                attempt, client, milliseconds, RD_KAFKA_ADMIN_OP_DELETECONSUMERGROUPOFFSETS
            ) { options, queue in
                rd_kafka_DeleteConsumerGroupOffsets(client, &requests, 1, options, queue)
            } read: { event in
                var count = 0
                let answers = rd_kafka_DeleteConsumerGroupOffsets_result_groups(
                    rd_kafka_event_DeleteConsumerGroupOffsets_result(event), &count)
                return Self.partitions(of: answers?.pointee, attempt) { _ in }
            }
        }
        return try answer.get()
    }

    /// Deletes groups without members, and all that they committed.
    package func deleteGroups(_ groups: [String]) async throws(KafkaError) -> [String: Result<Void, KafkaError>] {
        guard !groups.isEmpty else { return [:] }
        let attempt = "delete \(groups.count) groups"
        return try await run(attempt) { client, milliseconds in
            var requests = groups.map { rd_kafka_DeleteGroup_new($0) }
            defer { rd_kafka_DeleteGroup_destroy_array(&requests, requests.count) }
            return Self.request(attempt, client, milliseconds, RD_KAFKA_ADMIN_OP_DELETEGROUPS) { options, queue in
                rd_kafka_DeleteGroups(client, &requests, requests.count, options, queue)
            } read: { event in
                var count = 0
                let answers = rd_kafka_DeleteGroups_result_groups(rd_kafka_event_DeleteGroups_result(event), &count)
                var results: [String: Result<Void, KafkaError>] = [:]
                for answer in UnsafeBufferPointer(start: answers, count: count) {
                    let name = String(cString: rd_kafka_group_result_name(answer))
                    let error = rd_kafka_group_result_error(answer)
                    results[name] =
                        error.map { .failure(KafkaError(borrowing: $0, "delete group \(name)")) } ?? .success(())
                }
                return results
            }
        }
    }

    private static func partitions<Value>(
        of answer: OpaquePointer?, _ attempt: String, _ value: (TopicPartitionList.Entry) -> Value
    ) -> Result<[KafkaTopicPartition: Result<Value, KafkaError>], KafkaError> {
        guard let answer else { return .success([:]) }
        if let error = rd_kafka_group_result_error(answer) { return .failure(KafkaError(borrowing: error, attempt)) }
        guard let list = rd_kafka_group_result_partitions(answer) else { return .success([:]) }
        return .success(
            results(of: list) {
                KafkaError($0.code, "\(attempt) of \($0.partition)")
            } value: {
                value($0)
            })
    }

    private static func descriptions(
        _ answers: UnsafeBufferPointer<OpaquePointer?>
    ) -> [String: Result<KafkaGroupDescription, KafkaError>] {
        var results: [String: Result<KafkaGroupDescription, KafkaError>] = [:]
        for answer in answers {
            let name = String(cString: rd_kafka_ConsumerGroupDescription_group_id(answer))
            if let error = rd_kafka_ConsumerGroupDescription_error(answer), rd_kafka_error_code(error).rawValue != 0 {
                results[name] = .failure(KafkaError(borrowing: error, "describe group \(name)"))
                continue
            }
            let state = rd_kafka_consumer_group_state_name(rd_kafka_ConsumerGroupDescription_state(answer))
            let assignor = rd_kafka_ConsumerGroupDescription_partition_assignor(answer)
            let members = (0..<rd_kafka_ConsumerGroupDescription_member_count(answer)).compactMap {
                rd_kafka_ConsumerGroupDescription_member(answer, $0)
            }
            results[name] = .success(
                KafkaGroupDescription(
                    group: name, state: state.map { String(cString: $0) } ?? "",
                    assignor: assignor.map { String(cString: $0) } ?? "", members: members.map { description(of: $0) }))
        }
        return results
    }

    private static func description(of member: OpaquePointer) -> KafkaGroupDescription.Member {
        let assignment = rd_kafka_MemberDescription_assignment(member)
        let list = assignment.flatMap { rd_kafka_MemberAssignment_partitions($0) }
        return KafkaGroupDescription.Member(
            id: String(cString: rd_kafka_MemberDescription_consumer_id(member)),
            clientID: String(cString: rd_kafka_MemberDescription_client_id(member)),
            host: String(cString: rd_kafka_MemberDescription_host(member)),
            partitions: list.map { TopicPartitionList.entries(of: $0).map(\.partition).sorted() } ?? [])
    }

    /// A copy that ends with a zero byte, to be deallocated by the caller.
    private static func cString(_ text: String) -> UnsafeMutableBufferPointer<CChar> {
        let bytes = text.utf8CString
        let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        return copy
    }
}
