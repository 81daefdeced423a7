import CRDKafka
import Synchronization

/// The receiver of librdkafka's callbacks: the opaque pointer of a client's configuration, which lives until the client
/// is destroyed, and as long as the process where it never is.
final class ClientCallbacks: Sendable {
    /// Called on the thread that polls, with the client, the kind of rebalance and the partitions it concerns.
    typealias Rebalance =
        @Sendable (
            OpaquePointer, rd_kafka_resp_err_t, UnsafeMutablePointer<rd_kafka_topic_partition_list_t>
        ) -> Void

    private let log: (@Sendable (KafkaLogLine) -> Void)?
    private let statistics: (@Sendable (UnsafeRawBufferPointer) -> Void)?
    private let rebalance: Rebalance?
    private let errors = Mutex<[KafkaError]>([])
    /// The reason for the last failed transaction: librdkafka writes it to its log only, and purges its messages.
    private let transactionTrouble = Mutex<String?>(nil)
    private let isSilent = Atomic(false)

    init(_ configuration: KafkaConfiguration, rebalance: Rebalance? = nil) {
        log = configuration.log
        statistics = configuration.statistics
        self.rebalance = rebalance
    }

    /// The client-wide errors since the last call.
    func takeErrors() -> [KafkaError] {
        errors.withLock { errors in
            defer { errors = [] }
            return errors
        }
    }

    /// The reason for the failure of the last failed transaction.
    var lastTransactionTrouble: String? { transactionTrouble.withLock(\.self) }

    /// Keeps this alive for a client that is never destroyed, whose threads go on calling, and drops its reports.
    func outlive() {
        isSilent.store(true, ordering: .relaxed)
        _ = Unmanaged.passRetained(self)
    }

    /// Enters the callbacks into `configuration`, a `rd_kafka_conf_t`.
    func install(in configuration: OpaquePointer) {
        rd_kafka_conf_set_opaque(configuration, Unmanaged.passUnretained(self).toOpaque())
        rd_kafka_conf_set_log_cb(configuration) { client, level, facility, text in
            ClientCallbacks.of(rd_kafka_opaque(client)).logged(Int(level), facility!, text!)
        }
        rd_kafka_conf_set_error_cb(configuration) { client, code, reason, callbacks in
            ClientCallbacks.of(callbacks).failed(client!, rd_kafka_resp_err_t(code), String(cString: reason!))
        }
        if statistics != nil {
            rd_kafka_conf_set_stats_cb(configuration) { _, text, count, callbacks in
                ClientCallbacks.of(callbacks).statistics?(UnsafeRawBufferPointer(start: text, count: count))
                // librdkafka frees the text.
                return 0
            }
        }
        if rebalance != nil {
            rd_kafka_conf_set_rebalance_cb(configuration) { client, kind, partitions, callbacks in
                ClientCallbacks.of(callbacks).rebalance?(client!, kind, partitions!)
            }
        }
    }

    private func logged(_ level: Int, _ facility: UnsafePointer<CChar>, _ text: UnsafePointer<CChar>) {
        guard !isSilent.load(ordering: .relaxed), log != nil || level <= 3 else { return }
        let line = KafkaLogLine(level: level, facility: String(cString: facility), message: String(cString: text))
        if line.facility == "TXNERR" { transactionTrouble.withLock { $0 = line.message } }
        log?(line)
    }

    private func failed(_ client: OpaquePointer, _ code: rd_kafka_resp_err_t, _ reason: String) {
        let attempt = "keep up with the cluster"
        let fatal = code == RD_KAFKA_RESP_ERR__FATAL ? KafkaError.fatal(of: client, attempt) : nil
        let error = fatal ?? KafkaError(code, attempt, detail: reason)
        errors.withLock { $0.append(error) }
    }

    private static func of(_ opaque: UnsafeMutableRawPointer?) -> ClientCallbacks {
        Unmanaged<ClientCallbacks>.fromOpaque(opaque!).takeUnretainedValue()
    }
}
