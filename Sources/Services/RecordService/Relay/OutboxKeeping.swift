import CloudModel
import RecordStore

/// The way in which published rows of the outbox are kept, to be published once more when the log has lost them.
struct OutboxKeeping: Sendable {
    /// The time for which a row is kept; zero keeps none.
    var time: Duration
    /// The rows, and the bytes of their values, above which the oldest go earlier.
    var max: OutboxTotals

    /// - Parameter bound: the totals of waiting rows at which saves are refused: at most half of them are kept, as kept
    ///   rows wait again at the next start.
    init(time: Duration, beside bound: OutboxTotals = OutboxTotals(rows: .max, bytes: .max)) {
        self.time = time
        max = OutboxTotals(
            rows: bound.rows / 2, bytes: min(Limits.keptOutboxBytesMax, bound.bytes / 2))
    }

    /// Keeps nothing: a published row is removed at once.
    static let none = OutboxKeeping(time: .zero)
}

/// The published rows that are kept, by the moments at which the log has acknowledged them. Pure.
struct KeptRows {
    /// Bytes of values, and `Limits.rowBytes` for each row, that one transaction removes at most, or little more: the
    /// pages of removed rows are overwritten, and saves wait for it.
    static let stepBytes = Limits.stepBytes

    /// Rows that are to be removed.
    struct Old: Hashable, Sendable {
        /// The last one of them.
        var through: CommitSequence
        /// The last subscription event up to there.
        var lastSubscription: LastSubscription
    }

    private struct Batch {
        var totals: OutboxTotals
        var end: Old
        var time: ContinuousClock.Instant

        var cost: Int { totals.bytes + totals.rows * Limits.rowBytes }
    }

    private let keeping: OutboxKeeping
    private var batches: [Batch] = []
    private var totals = OutboxTotals()

    init(_ keeping: OutboxKeeping) { self.keeping = keeping }

    /// Takes note of rows that the log has acknowledged, in the order of their sequences.
    /// - Parameter before: the last subscription event below them.
    mutating func add(_ rows: [OutboxRow], after before: LastSubscription, at time: ContinuousClock.Instant) {
        var part = OutboxTotals()
        var last = before
        for (index, row) in rows.enumerated() {
            last.pass(row)
            part.rows += 1
            part.bytes += row.value?.count ?? 0
            let isFull = part.bytes + part.rows * Limits.rowBytes >= Self.stepBytes
            guard isFull || index == rows.count - 1 else { continue }
            add(part.rows, bytes: part.bytes, Old(through: row.sequence, lastSubscription: last), at: time)
            part = OutboxTotals()
        }
    }

    /// Takes note of rows that the log has acknowledged.
    mutating func add(_ rows: Int, bytes: Int, _ end: Old, at time: ContinuousClock.Instant) {
        batches.append(Batch(totals: OutboxTotals(rows: rows, bytes: bytes), end: end, time: time))
        totals.rows += rows
        totals.bytes += bytes
    }

    /// Forgets the rows that were kept for long enough, and the oldest ones while there are too many: as many of them as
    /// one transaction removes.
    /// - Returns: them; nil if there are none.
    mutating func takeOld(at now: ContinuousClock.Instant) -> Old? {
        var (count, cost) = (0, 0)
        for batch in batches where cost < Self.stepBytes {
            cost += batch.cost
            let isOver = totals.rows > keeping.max.rows || totals.bytes > keeping.max.bytes
            guard isOver || now - batch.time >= keeping.time else { break }
            totals.rows -= batch.totals.rows
            totals.bytes -= batch.totals.bytes
            count += 1
        }
        guard count > 0 else { return nil }
        defer { batches.removeFirst(count) }
        return batches[count - 1].end
    }
}
