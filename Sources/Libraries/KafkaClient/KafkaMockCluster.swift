import CRDKafka
import Synchronization
import Waiting

/// librdkafka's own cluster of pretended brokers in this process, for tests: topics, groups, transactions that commit,
/// and injected errors, but no admin calls and no aborts. Topics make themselves when they are asked for.
package final class KafkaMockCluster: Sendable {
    /// A request of Kafka's protocol, by its key there.
    package enum Request: Int16, Sendable {
        case produce = 0
        case fetch = 1
        case listOffsets = 2
        case metadata = 3
        case offsetCommit = 8
        case offsetFetch = 9
        case findCoordinator = 10
        case joinGroup = 11
        case heartbeat = 12
        case initProducerID = 22
        case addPartitionsToTransaction = 24
        case addOffsetsToTransaction = 25
        case endTransaction = 26
        case transactionalOffsetCommit = 28
    }

    /// `@unchecked Sendable` because librdkafka hands every call over to the cluster's own thread.
    private struct Cluster: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let client: Client
    private let cluster: Cluster
    /// The addresses at which clients reach it.
    package let bootstrapServers: String

    /// A cluster of `brokers` brokers, numbered from 1, on free ports of the loopback. It ends with this object.
    package init(brokers: Int = 1) throws(KafkaError) {
        // The cluster keeps its books in a client of its own.
        client = try Client(
            RD_KAFKA_PRODUCER, KafkaConfiguration(bootstrapServers: "", clientID: "mock"), Client.Properties(),
            callbacks: ClientCallbacks(KafkaConfiguration(bootstrapServers: "")))
        let pointer = client.withPointer { rd_kafka_mock_cluster_new($0, Int32(brokers)) }
        guard let pointer else { throw .invalid("could not make a mock cluster of \(brokers) brokers") }
        cluster = Cluster(pointer: pointer)
        bootstrapServers = String(cString: rd_kafka_mock_cluster_bootstraps(pointer))
    }

    deinit {
        let (client, cluster) = (client, cluster)
        DedicatedThread.start(named: "kafka-mock-end") {
            rd_kafka_mock_cluster_destroy(cluster.pointer)
            client.destroy()
        }
    }

    /// Makes a topic.
    package func createTopic(_ name: String, partitions: Int = 1, replicationFactor: Int = 1) throws(KafkaError) {
        let code = withExtendedLifetime(self) {
            rd_kafka_mock_topic_create(cluster.pointer, name, Int32(partitions), Int32(replicationFactor))
        }
        if code != RD_KAFKA_RESP_ERR_NO_ERROR { throw KafkaError(code, "create topic \(name) on the mock cluster") }
    }

    /// Answers the next requests of a kind with these errors, by their numbers in the protocol; -195 drops the
    /// connection, 0 is success.
    package func fail(_ request: Request, with codes: [Int32]) {
        let errors = codes.map { rd_kafka_resp_err_t($0) }
        withExtendedLifetime(self) {
            rd_kafka_mock_push_request_errors_array(cluster.pointer, request.rawValue, errors.count, errors)
        }
    }

    /// Answers with `code` whenever a topic's metadata is asked for; 0 ends that.
    package func failMetadata(of topic: String, with code: Int32) {
        withExtendedLifetime(self) {
            rd_kafka_mock_topic_set_error(cluster.pointer, topic, rd_kafka_resp_err_t(code))
        }
    }

    /// Makes a broker the coordinator of a group, so that every other refuses its requests.
    package func setCoordinator(of group: String, broker: Int32) {
        withExtendedLifetime(self) { _ = rd_kafka_mock_coordinator_set(cluster.pointer, "group", group, broker) }
    }

    /// Lets every answer of a broker (-1: of all) wait.
    package func setRoundTripTime(_ time: Duration, broker: Int32 = -1) {
        withExtendedLifetime(self) {
            _ = rd_kafka_mock_broker_set_rtt(cluster.pointer, broker, time.milliseconds)
        }
    }

    /// Takes a broker (-1: all) down, which closes its connections and refuses new ones.
    package func takeDown(broker: Int32 = -1) {
        withExtendedLifetime(self) { _ = rd_kafka_mock_broker_set_down(cluster.pointer, broker) }
    }

    /// Brings a broker (-1: all) up again.
    package func bringUp(broker: Int32 = -1) {
        withExtendedLifetime(self) { _ = rd_kafka_mock_broker_set_up(cluster.pointer, broker) }
    }
}
