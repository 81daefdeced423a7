import CloudModel
package import RecordStore
import Synchronization
import Telemetry

/// The rows that wait to be published, as this process counts them, and the bound on them: while the log is away saves go on, until
/// what waits is too much.
package final class OutboxBacklog: Sendable {
    static let rows = Gauge(
        "fanfare_record_service_outbox_waiting_rows", "Rows of the outbox that wait to be published.")
    static let bytes = Gauge(
        "fanfare_record_service_outbox_waiting_bytes", "Bytes of the outbox that wait to be published.")

    private let bound: OutboxTotals
    private let waiting = Mutex(OutboxTotals())

    /// - Parameter bound: the totals that must not be passed.
    package init(bound: OutboxTotals) { self.bound = bound }

    /// Refuses a commit while too much waits.
    /// - Throws: `TRY_AGAIN_LATER`.
    func check() throws(CloudError) {
        let waiting = waiting.withLock { $0 }
        guard waiting.rows >= bound.rows || waiting.bytes >= bound.bytes else { return }
        throw CloudError(
            .tryAgainLater,
            "\(waiting.rows) changes, \(waiting.bytes) bytes, wait to be published, as the log cannot be reached; nothing is saved until some are through",
            retryAfterSeconds: 5)
    }

    /// Counts what a commit has added, or what was published when it is negative.
    func add(_ totals: OutboxTotals) {
        change { waiting in
            waiting.rows = max(0, waiting.rows + totals.rows)
            waiting.bytes = max(0, waiting.bytes + totals.bytes)
        }
    }

    /// Takes over what was counted in the store: rows of other processes are not told of.
    func set(_ totals: OutboxTotals) { change { $0 = totals } }

    private func change(_ body: (inout OutboxTotals) -> Void) {
        let waiting = waiting.withLock { waiting in
            body(&waiting)
            return waiting
        }
        Self.rows.set(waiting.rows)
        Self.bytes.set(waiting.bytes)
    }
}

/// Rows that one transaction has added to the outbox.
final class OutboxTally {
    var totals = OutboxTotals()
}
