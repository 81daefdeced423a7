import CloudMessages
import CloudModel
import EventLog
import RecordStore
import Stages
import Telemetry
import Waiting

/// Publishes what the store has committed: in commit order, at least once, each row named by its sequence.
///
/// A crash between publishing and removing rows makes it publish some again under the same names, which readers drop.
struct OutboxRelay: Sendable {
    /// Rows in one reading of the outbox.
    static let rowsMax = 2000
    /// Bytes of values after which a reading is full.
    static let bytesMax = 8 << 20
    static let published = Counter(
        "fanfare_record_service_outbox_rows_total", "Rows of the outbox that were published to the log.")
    static let failures = Counter(
        "fanfare_record_service_relay_failures_total", "Times that the relay failed and started again.")

    let store: any RecordStore
    let layout: TopicLayout
    let log: any EventLog
    var check = StartCheck.none

    /// Publishes for ever; every failure begins anew from the first row that is not removed.
    func run() async {
        await persistently(failed: { error, pause in
            Self.failures.increment()
            Log.warning("relay.failed", ["error": "\(error)", "pause": "\(pause)"])
        }) {
            try await check.pass()
            let writer = try await log.makeWriter()
            do {
                try await publish(with: writer)
            } catch {
                await writer.close()
                throw error
            }
        }
    }

    private func publish(with writer: any LogWriter) async throws {
        var last = CommitSequence.zero
        // Listening begins before the first look, so that no commit is missed.
        var changes = store.outboxChanges().makeAsyncIterator()
        while true {
            let after = last
            let rows = try await store.read {
                try $0.outbox(after: after, limit: Self.rowsMax, bytesMax: Self.bytesMax)
            }
            guard let newest = rows.last else {
                await changes.next()
                try Task.checkCancellation()
                continue
            }
            for step in RelayPlan.steps(rows) {
                try await writer.append(step.map { entry($0) })
                Self.published.increment(by: step.count)
                if step.endIndex < rows.endIndex { KillPoint.reach(.relayStepPublished) }
            }
            KillPoint.reach(.relayPublished)
            last = newest.sequence
            try await store.write { try $0.removeOutbox(through: newest.sequence) }
            KillPoint.reach(.relayRemoved)
        }
    }

    private func entry(_ row: OutboxRow) -> OutgoingEntry {
        OutgoingEntry(
            partition(of: row), key: row.key, value: row.value, headers: headers(of: row),
            timestamp: LogTimestamp(row.time))
    }

    private func partition(of row: OutboxRow) -> TopicPartition {
        switch row.destination {
        case .changes(let database):
            return TopicPartition(layout.changes(database), layout.partition(of: row.key))
        case .subscriptions: return TopicPartition(layout.subscriptions)
        case .deliveries: return TopicPartition(layout.deliveries, layout.partition(of: row.key))
        }
    }

    private func headers(of row: OutboxRow) -> [LogHeader] {
        let type =
            switch row.destination {
            case .changes: "change"
            case .subscriptions: "subscription"
            case .deliveries: "device"
            }
        return OperatorHeaders.make(
            type: type, source: "\(SourceID.store(store.incarnation))", id: "\(row.sequence)")
            + [LogHeader("fanfare-sequence", "\(row.sequence)")]
    }
}
