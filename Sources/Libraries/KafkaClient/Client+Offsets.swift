import CRDKafka
import Waiting

extension Client {
    /// The end of a partition to ask for, as ListOffsets encodes it.
    enum LogEnd: Int64 {
        case earliest = -2
        case latest = -1
    }

    typealias Offsets = [KafkaTopicPartition: Result<Int64, KafkaError>]

    /// The first or the next offset of many partitions, by one metadata request for the topics that are not known yet
    /// and one request a leader. Blocks, at most `milliseconds` for each.
    ///
    /// With `existenceOnly` it is enough that the metadata knows a partition; its offset may be wrong.
    func offsets(
        at end: LogEnd, of partitions: some Collection<KafkaTopicPartition>, milliseconds: Int32,
        existenceOnly: Bool = false
    ) -> Result<Offsets, KafkaError> {
        guard !partitions.isEmpty else { return .success([:]) }
        return ask(at: end, of: partitions, milliseconds, existenceOnly).flatMap { answers in
            // An unknown topic stays unknown to librdkafka until its next refresh, minutes later, unless it is
            // requested by itself.
            let absent = answers.compactMap { partition, answer in Self.isAbsent(answer) ? partition : nil }
            var answers = answers
            var again: [KafkaTopicPartition] = []
            for (topic, partitions) in Dictionary(grouping: absent, by: \.topic) {
                switch isThere(topic, milliseconds) {
                case .success(true): again += partitions
                case .success(false): break
                // That nobody answers says nothing of the topic.
                case .failure(let error): for partition in partitions { answers[partition] = .failure(error) }
                }
            }
            guard !again.isEmpty else { return .success(answers) }
            return ask(at: end, of: again, milliseconds, existenceOnly).map { answers.merging($0) { $1 } }
        }
    }

    private func ask(
        at end: LogEnd, of partitions: some Collection<KafkaTopicPartition>, _ milliseconds: Int32,
        _ existenceOnly: Bool
    ) -> Result<Offsets, KafkaError> {
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        var code = RD_KAFKA_RESP_ERR_NO_ERROR
        var entries: [TopicPartitionList.Entry] = []
        while true {
            let list = TopicPartitionList(capacity: partitions.count)
            for partition in partitions { list.add(partition, offset: end.rawValue) }
            code = withPointer { client in
                list.withPointer { rd_kafka_offsets_for_times(client, $0, milliseconds) }
            }
            entries = list.entries()
            // One leader that is not yet what the metadata says makes the whole call fail.
            if existenceOnly, code.rawValue > 0 { break }
            guard KafkaError.isTransient(code), ContinuousClock.now < deadline else { break }
            refreshLeaders(of: entries, until: deadline)
            DedicatedThread.pause(milliseconds: 20)
        }
        // When not one partition is known, that is also what the call as a whole answers.
        let isAnswered =
            code == RD_KAFKA_RESP_ERR_NO_ERROR || entries.allSatisfy { KafkaError.isAbsence($0.code) }
            // A broker that is asked and answers is one that the metadata names.
            || (existenceOnly && code.rawValue > 0)
        guard isAnswered else {
            return .failure(KafkaError(code, "ask for the offsets of \(Self.summary(partitions))"))
        }
        let pairs = entries.map { entry -> (KafkaTopicPartition, Result<Int64, KafkaError>) in
            guard entry.code == RD_KAFKA_RESP_ERR_NO_ERROR else {
                return (entry.partition, .failure(KafkaError(entry.code, "ask for the offsets of \(entry.partition)")))
            }
            return (entry.partition, .success(entry.offset))
        }
        return .success(Dictionary(pairs) { first, _ in first })
    }

    /// Requests metadata of the topics without an answer. librdkafka takes leaders from its cache, and after the answer
    /// of a former leader it refreshes topics with handles, which these do not have: it would keep asking the same
    /// broker until the cache expires, after minutes.
    private func refreshLeaders(of entries: [TopicPartitionList.Entry], until deadline: ContinuousClock.Instant) {
        let failed = entries.filter { $0.code != RD_KAFKA_RESP_ERR_NO_ERROR }
        let topics = Set((failed.isEmpty ? entries : failed).map(\.partition.topic))
        for topic in topics.prefix(Self.refreshedTopicsMax) {
            let left = (deadline - .now).milliseconds
            guard left > 0 else { return }
            _ = isThere(topic, left)
        }
    }

    /// Topics that are asked for by themselves between two tries.
    private static let refreshedTopicsMax = 16

    private func isThere(_ topic: String, _ milliseconds: Int32) -> Result<Bool, KafkaError> {
        let handle: TopicHandle
        do throws(KafkaError) {
            handle = try TopicHandle(topic, of: self)
        } catch {
            return .failure(error)
        }
        defer { handle.destroy() }
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let code = withPointer { rd_kafka_metadata($0, 0, handle.pointer, &metadata, milliseconds) }
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata else {
            return .failure(KafkaError(code, "ask whether there is a topic \(topic)"))
        }
        defer { rd_kafka_metadata_destroy(metadata) }
        return .success(
            metadata.pointee.topic_cnt > 0 && metadata.pointee.topics[0].err == RD_KAFKA_RESP_ERR_NO_ERROR)
    }

    /// The reason why nothing is known of a partition; nil for one of which something is.
    private static func failureToAsk(_ answer: Result<Int64, KafkaError>) -> KafkaError? {
        if case .failure(let error) = answer, !error.isTopicAbsent, error.code < 0 { error } else { nil }
    }

    private static func isAbsent(_ answer: Result<Int64, KafkaError>) -> Bool {
        if case .failure(let error) = answer { error.isTopicAbsent } else { false }
    }

    /// Returns the partitions that do not exist. As a topic that was just created may be unknown to a broker for some
    /// milliseconds, the absent ones are asked for again for `patience`. Blocks for that long at most, or, while no
    /// broker answers, for `milliseconds`. Afterwards the client has the metadata of those that exist.
    func absent(
        among partitions: [KafkaTopicPartition], patience: Duration, milliseconds: Int32
    ) -> Result<Set<KafkaTopicPartition>, KafkaError> {
        let deadline = ContinuousClock.now + patience
        var asked = partitions
        var pause = 10
        while true {
            switch offsets(at: .earliest, of: asked, milliseconds: milliseconds, existenceOnly: true) {
            case .failure(let error): return .failure(error)
            case .success(let answers):
                let unknown = answers.values.lazy.compactMap(Self.failureToAsk).first
                if let unknown { return .failure(unknown) }
                asked = answers.compactMap { partition, answer in Self.isAbsent(answer) ? partition : nil }
            }
            guard !asked.isEmpty, ContinuousClock.now < deadline else { return .success(Set(asked)) }
            DedicatedThread.pause(milliseconds: pause)
            pause = min(pause * 2, 160)
        }
    }

    /// The watermarks of one partition. Blocks, at most twice `milliseconds`.
    func watermarks(of partition: KafkaTopicPartition, milliseconds: Int32) -> Result<KafkaWatermarks, KafkaError> {
        var low: Int64 = 0
        var high: Int64 = 0
        let code = withPointer { client in
            rd_kafka_query_watermark_offsets(
                client, partition.topic, partition.partition, &low, &high, milliseconds)
        }
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            return .failure(KafkaError(code, "ask for the watermarks of \(partition)"))
        }
        return .success(KafkaWatermarks(low: low, high: high))
    }

    /// A few of the partitions by name, for messages.
    static func summary(_ partitions: some Collection<KafkaTopicPartition>) -> String {
        let names = partitions.prefix(3).map(\.description).joined(separator: ", ")
        return partitions.count > 3 ? "\(names) and \(partitions.count - 3) more" : names
    }
}
