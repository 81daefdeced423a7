import CRDKafka

/// One `rd_kafka_t`.
///
/// `@unchecked Sendable` because librdkafka's functions may be called from any thread. Its maker calls
/// `destroy` or `abandon` exactly once, on a thread that may block, after everything else that uses it has ended.
final class Client: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let callbacks: ClientCallbacks

    /// The properties that one kind of client has of its own.
    struct Properties {
        /// The properties that the caller may change.
        var defaults: [String: String] = [:]
        /// The properties that this kind of client depends on, so that the caller may not change them.
        var fixed: [String: String] = [:]
    }

    init(
        _ kind: rd_kafka_type_t, _ configuration: KafkaConfiguration, _ properties: Properties, events: Int32 = 0,
        callbacks: ClientCallbacks
    ) throws(KafkaError) {
        guard let native = rd_kafka_conf_new() else { throw .invalid("no memory for a configuration of librdkafka") }
        do throws(KafkaError) {
            try Self.fill(native, configuration, properties)
            callbacks.install(in: native)
            if events != 0 { rd_kafka_conf_set_events(native, events) }
            self.pointer = try Self.make(kind, native)
        } catch {
            // `rd_kafka_new` takes the configuration over only when it succeeds.
            rd_kafka_conf_destroy(native)
            throw error
        }
        self.callbacks = callbacks
    }

    /// Lends the pointer: never keep it, as Swift may free an object after its last use, which a stored pointer is not.
    func withPointer<Value: ~Copyable, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { withExtendedLifetime(self) {} }
        return try body(pointer)
    }

    /// The client-wide errors since the last call.
    func takeErrors() -> [KafkaError] { callbacks.takeErrors() }

    /// The reason for the last failed transaction, from librdkafka's log.
    var lastTransactionTrouble: String? { callbacks.lastTransactionTrouble }

    /// The value that a property of this client has.
    func property(_ name: String) -> String? {
        withPointer { client in
            var count = 0
            let conf = rd_kafka_conf(client)
            guard rd_kafka_conf_get(conf, name, nil, &count) == RD_KAFKA_CONF_OK else { return nil }
            let text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: count)
            defer { text.deallocate() }
            rd_kafka_conf_get(conf, name, text.baseAddress, &count)
            return String(cString: text.baseAddress!)
        }
    }

    /// Ends librdkafka's threads and frees the client; blocks, seldom for more than a second.
    func destroy(flags: Int32 = 0) { rd_kafka_destroy_flags(pointer, flags) }

    /// Leaves the client as it is for the rest of the process, where librdkafka does not survive that one is destroyed.
    func abandon() { callbacks.outlive() }

    private static func fill(
        _ native: OpaquePointer, _ configuration: KafkaConfiguration, _ properties: Properties
    ) throws(KafkaError) {
        let common = [
            // A misspelt topic must be an error, not a topic; and small requests must not wait for each other.
            "allow.auto.create.topics": "false", "socket.nagle.disable": "true",
        ]
        let own = properties.fixed.merging(
            ["bootstrap.servers": configuration.bootstrapServers, "client.id": configuration.clientID]) { $1 }
        for (name, value) in common.merging(properties.defaults, uniquingKeysWith: { $1 }) {
            try set(native, name, value)
        }
        for (name, value) in configuration.properties.sorted(by: { $0.key < $1.key }) {
            if let fixed = own[name] {
                throw .invalid(
                    "the property \(name) is \(fixed) for this kind of client; take it out of the properties")
            }
            try set(native, name, value)
        }
        for (name, value) in own { try set(native, name, value) }
    }

    private static func set(_ native: OpaquePointer, _ name: String, _ value: String) throws(KafkaError) {
        var failure: String?
        withReasonBuffer { reason in
            if rd_kafka_conf_set(native, name, value, reason.baseAddress, reason.count) != RD_KAFKA_CONF_OK {
                failure = String(cString: reason.baseAddress!)
            }
        }
        if let failure { throw .invalid("could not set librdkafka's property \(name) to \"\(value)\": \(failure)") }
    }

    private static func make(_ kind: rd_kafka_type_t, _ native: OpaquePointer) throws(KafkaError) -> OpaquePointer {
        var failure = ""
        var client: OpaquePointer?
        withReasonBuffer { reason in
            client = rd_kafka_new(kind, native, reason.baseAddress, reason.count)
            if client == nil { failure = String(cString: reason.baseAddress!) }
        }
        guard let client else { throw .invalid("could not make a client of librdkafka: \(failure)") }
        return client
    }
}

/// Lends the buffer into which librdkafka's older functions write why they failed.
func withReasonBuffer(_ body: (UnsafeMutableBufferPointer<CChar>) -> Void) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { reason in
        reason.initialize(repeating: 0)
        body(reason)
    }
}
