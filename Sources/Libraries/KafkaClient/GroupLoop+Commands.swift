import CRDKafka

extension GroupLoop {
    /// The longest that librdkafka may take to be ready for a seek.
    private static let seekPatience = Duration.seconds(10)

    func carryOut(_ command: GroupCore.Command) {
        switch command {
        case .start(let offsets, let begun):
            start(offsets)
            begun()
        case .release(let partitions): forget(core.rebalances.release(partitions, client: client))
        case .seek(let offsets): seek(offsets, until: .now + Self.seekPatience)
        case .pause(let partitions): change(partitions, "pause") { rd_kafka_pause_partitions($0, $1) }
        case .resume(let partitions): change(partitions, "resume") { rd_kafka_resume_partitions($0, $1) }
        case .commit(let offsets, let reply): commit(offsets, reply)
        case .settle(let answer): answer()
        case .close: break
        }
    }

    /// Hands nothing of these partitions on any more.
    func forget(_ partitions: [KafkaTopicPartition]) {
        for partition in partitions {
            table.remove(partition)
            seeks.removeValue(forKey: partition)
            stranded.remove(partition)
        }
    }

    /// Tries those seeks again that librdkafka was not ready for.
    func retrySeeks() {
        let late = seeks
        seeks = [:]
        for (partition, seek) in late { self.seek([partition: seek.offset], until: seek.deadline) }
    }

    private func start(_ offsets: [KafkaTopicPartition: Int64]) {
        let again = core.rebalances.begun(among: offsets.keys)
        for partition in again {
            table[partition]?.isMuted = true
            table[partition]?.nextOffset = max(offsets[partition]!, 0)
            seeks.removeValue(forKey: partition)
        }
        if !again.isEmpty { restart(offsets.filter { again.contains($0.key) }, until: .now + Self.seekPatience) }
        let list = TopicPartitionList(capacity: offsets.count)
        do throws(KafkaError) {
            for partition in core.rebalances.start(offsets.keys) {
                _ = try table.add(partition, offset: offsets[partition]!, client: client)
                list.add(partition, offset: offsets[partition]!)
            }
            let failure = client.withPointer { client in
                list.withPointer { rd_kafka_incremental_assign(client, $0) }
            }
            if let error = KafkaError(consuming: failure, "start \(Client.summary(offsets.keys))") { throw error }
            // A pause outlives an assignment in librdkafka; its requester is not the one who starts now.
            change(Array(offsets.keys), "resume") { rd_kafka_resume_partitions($0, $1) }
        } catch {
            handler(.error(error))
        }
    }

    private func seek(_ offsets: [KafkaTopicPartition: Int64], until deadline: ContinuousClock.Instant) {
        let wanted = offsets.filter { table[$0.key] != nil }
        guard !wanted.isEmpty else { return }
        for (partition, offset) in wanted {
            table[partition]?.isMuted = true
            table[partition]?.nextOffset = max(offset, 0)
            seeks.removeValue(forKey: partition)
        }
        let restarted = wanted.filter { stranded.contains($0.key) }
        if !restarted.isEmpty { restart(restarted, until: deadline) }
        let list = TopicPartitionList(wanted.filter { restarted[$0.key] == nil })
        let failure = client.withPointer { client in
            list.withPointer { rd_kafka_seek_partitions(client, $0, 1_000) }
        }
        let error = KafkaError(consuming: failure, "seek")
        for entry in list.entries() {
            let code = error == nil ? entry.code : rd_kafka_resp_err_t(error!.code)
            if code == RD_KAFKA_RESP_ERR_NO_ERROR {
                table[entry.partition]?.isMuted = false
            } else if ContinuousClock.now < deadline {
                // Mostly the state of a partition that has just been started.
                seeks[entry.partition] = (wanted[entry.partition] ?? entry.offset, deadline)
            } else {
                handler(.error(KafkaError(code, "seek in \(entry.partition)", detail: error?.message)))
            }
        }
    }

    /// Stops partitions and starts them elsewhere. While the group waits for a release, librdkafka would take that for
    /// it, and it holds everything back anyway: then later.
    private func restart(_ offsets: [KafkaTopicPartition: Int64], until deadline: ContinuousClock.Instant) {
        guard !core.rebalances.isReleaseAwaited else {
            for (partition, offset) in offsets { seeks[partition] = (offset, .now + Self.seekPatience) }
            return
        }
        let partitions = TopicPartitionList(offsets.keys)
        let starts = TopicPartitionList(offsets)
        let failure = client.withPointer { client in
            partitions.withPointer { rd_kafka_incremental_unassign(client, $0) }
                ?? starts.withPointer { rd_kafka_incremental_assign(client, $0) }
        }
        if let error = KafkaError(consuming: failure, "seek in \(Client.summary(offsets.keys))") {
            return handler(.error(error))
        }
        for partition in offsets.keys {
            stranded.remove(partition)
            table[partition]?.isMuted = false
        }
    }

    private func change(
        _ partitions: [KafkaTopicPartition], _ verb: String,
        _ call: (OpaquePointer, UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) -> rd_kafka_resp_err_t
    ) {
        let owned = partitions.filter { table[$0] != nil }
        guard !owned.isEmpty else { return }
        let list = TopicPartitionList(owned)
        let code = client.withPointer { client in list.withPointer { call(client, $0) } }
        let failed = list.entries().first { $0.code != RD_KAFKA_RESP_ERR_NO_ERROR }
        if let failed {
            handler(.error(KafkaError(failed.code, "\(verb) \(failed.partition)")))
        } else if code != RD_KAFKA_RESP_ERR_NO_ERROR {
            handler(.error(KafkaError(code, "\(verb) \(Client.summary(owned))")))
        }
    }
}
