import CRDKafka

extension KafkaError {
    /// The partition is not this member's any more, or the member is none of the group's: its work there is another's.
    package var isAssignmentLost: Bool {
        [
            RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST, RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION,
            RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID,
        ].contains { $0.rawValue == code }
    }

    /// The coordinator knows of a newer generation of the group than this member does.
    package var isOfGeneration: Bool {
        code == RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION.rawValue || code == RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID.rawValue
    }

    /// The topic exists already: the outcome of creating it a second time.
    package var isTopicPresent: Bool { code == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS.rawValue }

    /// The topic, or the partition of it, does not exist.
    package var isTopicAbsent: Bool { Self.absence.contains(code) }

    /// The client's principal may not describe the topic.
    package var isTopicForbidden: Bool { code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED.rawValue }

    /// A transaction that is not yet ended commits the position that was asked for.
    package var isCommitUnderWay: Bool { code == RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT.rawValue }

    /// A broker's answer that the group's coordinator has moved, or does not exist yet: it moves with its broker, and
    /// the first group of a cluster creates it.
    package var isCoordinatorMoving: Bool { Self.moving.contains(code) }

    /// Returns true if a bare code says that a topic or partition does not exist.
    static func isAbsence(_ code: rd_kafka_resp_err_t) -> Bool { absence.contains(code.rawValue) }

    /// Returns true if a bare code is one that passes by itself.
    static func isTransient(_ code: rd_kafka_resp_err_t) -> Bool { transient.contains(code.rawValue) }

    /// Another producer took the transactional ID over.
    var isFencing: Bool { Self.fencing.contains(code) }

    /// `attempt` is the operation and its object, as in "create topic x".
    init(_ code: rd_kafka_resp_err_t, _ attempt: String, detail: String? = nil, isFatal: Bool = false) {
        self.init(
            code: code.rawValue, name: String(cString: rd_kafka_err2name(code)),
            message: "could not \(attempt): \(detail ?? String(cString: rd_kafka_err2str(code)))",
            isFatal: isFatal, isRetriable: !isFatal && Self.transient.contains(code.rawValue))
    }

    /// Takes over and frees an error object of librdkafka; nil for NULL, which means success.
    init?(consuming error: OpaquePointer?, _ attempt: String) {
        guard let error else { return nil }
        defer { rd_kafka_error_destroy(error) }
        self.init(borrowing: error, attempt)
    }

    /// Reads an error object that belongs to something else, such as an event.
    init(borrowing error: OpaquePointer, _ attempt: String) {
        self.init(
            code: rd_kafka_error_code(error).rawValue, name: String(cString: rd_kafka_error_name(error)),
            message: "could not \(attempt): \(String(cString: rd_kafka_error_string(error)))",
            isFatal: rd_kafka_error_is_fatal(error) != 0, isRetriable: rd_kafka_error_is_retriable(error) != 0,
            requiresAbort: rd_kafka_error_txn_requires_abort(error) != 0)
    }

    /// The client's fatal error, if it has one: the reason behind every `_FATAL` it answers.
    static func fatal(of client: OpaquePointer, _ attempt: String) -> KafkaError? {
        let reason = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 512)
        defer { reason.deallocate() }
        let code = rd_kafka_fatal_error(client, reason.baseAddress, reason.count)
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
        let text = String(cString: reason.baseAddress!)
        return KafkaError(code, attempt, detail: "\(text); destroy this client and make a new one", isFatal: true)
    }

    static func invalid(_ message: String) -> KafkaError {
        let code = RD_KAFKA_RESP_ERR__INVALID_ARG
        return KafkaError(code: code.rawValue, name: String(cString: rd_kafka_err2name(code)), message: message)
    }

    static func closed(_ attempt: String) -> KafkaError {
        KafkaError(RD_KAFKA_RESP_ERR__DESTROY, attempt, detail: "this client is closed; make a new one", isFatal: true)
    }

    static func cancelled(_ attempt: String) -> KafkaError {
        KafkaError(
            RD_KAFKA_RESP_ERR__INTR, attempt, detail: "the caller was cancelled; the work may still finish")
    }

    static func state(_ message: String) -> KafkaError {
        let code = RD_KAFKA_RESP_ERR__STATE
        return KafkaError(code: code.rawValue, name: String(cString: rd_kafka_err2name(code)), message: message)
    }

    /// The codes that pass by themselves: an error that librdkafka reports as a bare code has no flag.
    private static let transient: Set<Int32> = Set(
        [
            RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__TIMED_OUT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN,
            RD_KAFKA_RESP_ERR__WAIT_COORD, RD_KAFKA_RESP_ERR__QUEUE_FULL, RD_KAFKA_RESP_ERR__NODE_UPDATE,
            RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
            RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE,
            RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION,
            RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
            RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
            RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND, RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS,
            RD_KAFKA_RESP_ERR_NOT_CONTROLLER, RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS,
            RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT, RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE,
            RD_KAFKA_RESP_ERR_PREFERRED_LEADER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_ELIGIBLE_LEADERS_NOT_AVAILABLE,
            RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR, RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED,
        ].map(\.rawValue))

    private static let moving: Set<Int32> = Set(
        [
            RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
            RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
        ].map(\.rawValue))

    private static let absence: Set<Int32> = [
        RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART.rawValue, RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC.rawValue,
        RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION.rawValue,
    ]

    private static let fencing: Set<Int32> = [
        RD_KAFKA_RESP_ERR__FENCED.rawValue, RD_KAFKA_RESP_ERR_PRODUCER_FENCED.rawValue,
        RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH.rawValue,
    ]
}
