import CRDKafka
import Synchronization

/// The clients that read the committed offsets of groups: one for each group, configured as its member, without
/// joining.
///
/// librdkafka 2.0.2 has `ListConsumerGroupOffsets` for it, which ends the process: if the broker is not the group's
/// coordinator any more, the answer's handler goes to the client's own group, and an admin client has none
/// (`rd_kafka_handle_OffsetFetch` → `rd_kafka_cgrp_op(NULL)`). It would also keep asking that broker, as its cache of
/// coordinators survives such an answer. `rd_kafka_committed` looks the coordinator up again by itself.
final class GroupQuestions: Sendable {
    /// Cached clients, each with a few threads: a process reads the positions of the groups that its layout names.
    /// Further groups get a client for each request.
    private static let keptMax = 8

    private let configuration: KafkaConfiguration
    private let clients = Mutex([String: Client]())

    init(_ configuration: KafkaConfiguration) { self.configuration = configuration }

    /// The committed offsets of a group; partitions without one are left out. Blocks, at most about `milliseconds`.
    func committed(
        _ partitions: [KafkaTopicPartition], by group: String, _ attempt: String, milliseconds: Int32
    ) -> Result<[KafkaTopicPartition: KafkaCommittedOffset], KafkaError> {
        do throws(KafkaError) {
            if let client = try keptClient(of: group) {
                return client.committed(partitions, attempt, milliseconds: milliseconds)
            }
            let client = try client(of: group)
            defer { Self.destroy(client) }
            return client.committed(partitions, attempt, milliseconds: milliseconds)
        } catch {
            return .failure(error)
        }
    }

    /// Destroys the clients; blocks. Nobody asks any more.
    func destroy() {
        let ended = clients.withLock { clients in
            defer { clients = [:] }
            return clients
        }
        for client in ended.values { Self.destroy(client) }
    }

    private func keptClient(of group: String) throws(KafkaError) -> Client? {
        try clients.withLock { clients throws(KafkaError) -> Client? in
            if let client = clients[group] { return client }
            guard clients.count < Self.keptMax else { return nil }
            let client = try client(of: group)
            clients[group] = client
            return client
        }
    }

    private func client(of group: String) throws(KafkaError) -> Client {
        let properties = Client.Properties(fixed: ["group.id": group, "enable.auto.commit": "false"])
        return try Client(RD_KAFKA_CONSUMER, configuration, properties, callbacks: ClientCallbacks(configuration))
    }

    /// There is nothing to leave, and to close would wait for a coordinator.
    private static func destroy(_ client: Client) { client.destroy(flags: RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE) }
}

extension Client {
    /// The committed offsets of this client's group; partitions without one are left out. Waits for open transactions
    /// that change them (unless `isolation.level` is `read_uncommitted`). Blocks, at most about `milliseconds`.
    func committed(
        _ partitions: [KafkaTopicPartition], _ attempt: String, milliseconds: Int32
    ) -> Result<[KafkaTopicPartition: KafkaCommittedOffset], KafkaError> {
        let list = TopicPartitionList(partitions)
        let code = withPointer { client in list.withPointer { rd_kafka_committed(client, $0, milliseconds) } }
        let entries = list.entries()
        let failed = entries.first { $0.code != RD_KAFKA_RESP_ERR_NO_ERROR }
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, failed == nil else {
            return .failure(KafkaError(failed?.code ?? code, attempt))
        }
        let positions = entries.filter { $0.offset >= 0 }.map {
            ($0.partition, KafkaCommittedOffset(offset: $0.offset, metadata: $0.metadata))
        }
        return .success(Dictionary(positions) { first, _ in first })
    }
}
