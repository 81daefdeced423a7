import CRDKafka
import Synchronization
import Waiting

/// Makes, changes and describes what a cluster has. Any thread may call it; calls block threads of its own, some
/// dozens at once.
///
/// Results are per item: one that fails says why and leaves the others alone. What concerns the whole request is
/// thrown, and mostly retriable.
package final class KafkaAdmin: Sendable {
    let client: Client
    let calls = CallThreads(name: "kafka-admin", threadsMax: 32)
    /// For questions that take long.
    let patientCalls = CallThreads(name: "kafka-admin", threadsMax: 16)
    let groupQuestions: GroupQuestions
    private let timeout: Duration
    private let isClosed = Atomic(false)

    /// An admin client of the cluster that `configuration` names; every call takes at most about `timeout`.
    package init(_ configuration: KafkaConfiguration, timeout: Duration = .seconds(60)) throws(KafkaError) {
        // A consumer without a group, so that `isolation.level` says which offsets count as the latest.
        client = try Client(
            RD_KAFKA_CONSUMER, configuration, Client.Properties(), callbacks: ClientCallbacks(configuration))
        groupQuestions = GroupQuestions(configuration)
        self.timeout = timeout
    }

    deinit { end {} }

    /// Waits for the calls under way and destroys librdkafka's client; later calls throw.
    package func close() async {
        await withCheckedContinuation { continuation in end { continuation.resume() } }
    }

    /// The brokers that are up, for choosing a replication factor.
    package func clusterDescription() async throws(KafkaError) -> KafkaClusterDescription {
        try await run("describe the cluster") { client, milliseconds in
            Self.metadata(client, topic: nil, isForAll: false, milliseconds) { metadata in
                let brokers = UnsafeBufferPointer(start: metadata.brokers, count: Int(metadata.broker_cnt)).map {
                    KafkaClusterDescription.Broker(id: $0.id, host: String(cString: $0.host), port: $0.port)
                }
                let id = rd_kafka_clusterid(client, milliseconds)
                defer { rd_kafka_mem_free(client, id) }
                return KafkaClusterDescription(
                    clusterID: id.map { String(cString: $0) },
                    controllerID: rd_kafka_controllerid(client, milliseconds),
                    brokers: brokers.sorted { $0.id < $1.id })
            }
        }
    }
}

extension KafkaAdmin {
    /// Runs a call that blocks, with the client and the milliseconds it may take.
    func run<Value: Sendable>(
        _ attempt: String, on threads: CallThreads? = nil,
        _ body: @escaping @Sendable (OpaquePointer, Int32) -> Result<Value, KafkaError>
    ) async throws(KafkaError) -> Value {
        let client = client
        let milliseconds = timeout.milliseconds
        return try await (threads ?? calls).run(attempt) { client.withPointer { body($0, milliseconds) } }
    }

    /// Makes one request of librdkafka's admin interface and reads its answer, which is freed afterwards. Blocks.
    static func request<Value>(
        _ attempt: String, _ client: OpaquePointer, _ milliseconds: Int32, _ operation: rd_kafka_admin_op_t,
        send: (_ options: OpaquePointer, _ queue: OpaquePointer) -> Void,
        read: (_ event: OpaquePointer) -> Value
    ) -> Result<Value, KafkaError> {
        let queue = rd_kafka_queue_new(client)!
        defer { rd_kafka_queue_destroy(queue) }
        let options = rd_kafka_AdminOptions_new(client, operation)!
        defer { rd_kafka_AdminOptions_destroy(options) }
        rd_kafka_AdminOptions_set_request_timeout(options, milliseconds, nil, 0)
        send(options, queue)
        let event = answer(in: queue, client)
        defer { rd_kafka_event_destroy(event) }
        let code = rd_kafka_event_error(event)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            return .failure(
                KafkaError(code, attempt, detail: rd_kafka_event_error_string(event).map { String(cString: $0) }))
        }
        return .success(read(event))
    }

    /// Waits for the answer of a request, which always comes, as librdkafka keeps the time-out itself.
    ///
    /// A request goes to the controller that the client knows. If that broker is down, librdkafka (2.0.2) reconnects to
    /// it thousands of times a second, and never asks for the current controller: so this requests it.
    private static func answer(in queue: OpaquePointer, _ client: OpaquePointer) -> OpaquePointer {
        while true {
            if let event = rd_kafka_queue_poll(queue, controllerPatience) { return event }
            _ = metadata(client, topic: nil, isForAll: false, controllerPatience) { _ in }
        }
    }

    /// Milliseconds without an answer after which the controller may have moved.
    private static let controllerPatience: Int32 = 500

    /// Asks for the metadata of one topic, of all, or of none, and lends the answer. Blocks.
    static func metadata<Value>(
        _ client: OpaquePointer, topic: OpaquePointer?, isForAll: Bool, _ milliseconds: Int32,
        read: (rd_kafka_metadata) -> Value
    ) -> Result<Value, KafkaError> {
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let code = rd_kafka_metadata(client, isForAll ? 1 : 0, topic, &metadata, milliseconds)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata else {
            return .failure(KafkaError(code, "ask the cluster for its metadata"))
        }
        defer { rd_kafka_metadata_destroy(metadata) }
        return .success(read(metadata.pointee))
    }

    /// Ends once, on a thread of its own; `done` is called when the client is destroyed, or was before.
    private func end(_ done: @escaping @Sendable () -> Void) {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return done() }
        let (client, calls, patientCalls, groupQuestions) = (client, calls, patientCalls, groupQuestions)
        DedicatedThread.start(named: "kafka-admin-end") {
            calls.close()
            patientCalls.close()
            groupQuestions.destroy()
            client.destroy()
            done()
        }
    }
}
