package import CloudModel
package import RecordStore
import Telemetry
import Waiting

extension RecordService {
    /// The rows that wait to be published, as this process counts them.
    package var waitingOutbox: OutboxTotals { backlog.waiting }
}

/// The rows that wait to be published, as this process counts them, and their bound: while the log is away, saves go on
/// until the bound is reached.
package final class OutboxBacklog: Sendable {
    static let rows = Gauge(
        "fanfare_record_service_outbox_waiting_rows", "Rows of the outbox that wait to be published.")
    static let bytes = Gauge(
        "fanfare_record_service_outbox_waiting_bytes", "Bytes of the outbox that wait to be published.")

    /// The rows that waited in a store up to a settled sequence.
    package typealias Count = (totals: OutboxTotals, sequence: CommitSequence)

    private struct State {
        var waiting = OutboxTotals()
        /// The sequence up to which the store was counted.
        var counted = CommitSequence.zero
        /// The newest row that was published.
        var published = CommitSequence.zero
        /// Rows that were published before their commit was counted: a late count does not add them.
        var unseen = OutboxTotals()
        /// The rows that commits have added since a look at the store began; nil while there is none.
        var sinceLook: [Count]?
    }

    private let bound: OutboxTotals
    private let state = BusyMutex(State())
    private let rowsShare = GaugeShare(of: OutboxBacklog.rows)
    private let bytesShare = GaugeShare(of: OutboxBacklog.bytes)

    /// - Parameter bound: the totals that must not be passed.
    package init(bound: OutboxTotals) { self.bound = bound }

    /// The totals that wait now.
    package var waiting: OutboxTotals { state.withLock(\.waiting) }

    /// Refuses a commit while too much waits.
    /// - Throws: `TRY_AGAIN_LATER`.
    func check() throws(CloudError) {
        let waiting = waiting
        guard waiting.rows >= bound.rows || waiting.bytes >= bound.bytes else { return }
        throw CloudError(
            .tryAgainLater,
            "\(waiting.rows) changes, \(waiting.bytes) bytes, wait to be published, as the log cannot be reached; nothing is saved until some are through",
            retryAfterSeconds: 5)
    }

    /// Counts what a commit has added, unless a look at the store has met it already.
    /// - Parameters:
    ///   - before: a sequence below those of the commit's rows.
    ///   - sequence: the highest of theirs.
    package func add(_ totals: OutboxTotals, after before: CommitSequence, at sequence: CommitSequence) {
        change { state in
            guard sequence > state.counted else { return }
            state.sinceLook?.append((totals, sequence))
            var totals = totals
            if before < state.published {
                let late = totals.common(with: state.unseen)
                state.unseen.subtract(late)
                totals.subtract(late)
            }
            state.waiting.add(totals)
        }
    }

    /// Takes off rows that were published; those that are published once more count once.
    package func published(_ rows: [OutboxRow]) {
        change { state in
            let new = rows.filter { $0.sequence > state.published }
            var totals = OutboxTotals(rows: new.count, bytes: new.reduce(0) { $0 + ($1.value?.count ?? 0) })
            let counted = totals.common(with: state.waiting)
            state.waiting.subtract(counted)
            totals.subtract(counted)
            state.unseen.add(totals)
            state.published = max(state.published, rows.last?.sequence ?? .zero)
        }
    }

    /// Counts the rows of the store. Commits that are noted meanwhile may be in the count or not; their sequences
    /// decide. One count at a time.
    /// - Parameter read: returns a result, and the waiting rows of the store with its settled sequence, read in one
    ///   transaction: rows of other processes are not noted otherwise. Nil if nothing was counted.
    package func look<Result>(_ read: () async throws -> (Result, Count?)) async throws -> Result {
        state.withLock { $0.sinceLook = [] }
        do {
            let (result, found) = try await read()
            endLook(found)
            return result
        } catch {
            endLook(nil)
            throw error
        }
    }

    private func endLook(_ found: Count?) {
        change { state in
            let since = state.sinceLook ?? []
            state.sinceLook = nil
            guard let found else { return }
            (state.waiting, state.counted, state.unseen) = (found.totals, found.sequence, OutboxTotals())
            for added in since where added.sequence > found.sequence { state.waiting.add(added.totals) }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            rowsShare.set(state.waiting.rows)
            bytesShare.set(state.waiting.bytes)
        }
    }
}

extension OutboxTotals {
    fileprivate mutating func add(_ other: OutboxTotals) {
        rows += other.rows
        bytes += other.bytes
    }

    fileprivate mutating func subtract(_ other: OutboxTotals) {
        rows -= other.rows
        bytes -= other.bytes
    }

    /// The part that both have.
    fileprivate func common(with other: OutboxTotals) -> OutboxTotals {
        OutboxTotals(rows: min(rows, other.rows), bytes: min(bytes, other.bytes))
    }
}

/// Rows that one transaction has added to the outbox.
final class OutboxTally {
    /// The rows of a transaction.
    struct Added: Sendable {
        var totals = OutboxTotals()
        /// A sequence that is below all of them.
        var before: CommitSequence
        /// The highest of theirs.
        var last: CommitSequence
    }

    /// Nil while there are none.
    private(set) var added: Added?
    /// True if records are to be deleted in later steps.
    var leavesWork = false
    /// The partitions of changes that they go to.
    var changes: Set<DeliveryWatch.ChangePartition> = []

    /// Counts a row.
    func add(_ sequence: CommitSequence, bytes: Int) {
        let before = CommitSequence(sequence.rawValue - 1)
        var sum = added ?? Added(before: before, last: sequence)
        (sum.before, sum.last) = (min(sum.before, before), max(sum.last, sequence))
        sum.totals.rows += 1
        sum.totals.bytes += bytes
        added = sum
    }
}
