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
    private struct Batch {
        var totals: OutboxTotals
        var through: CommitSequence
        var time: ContinuousClock.Instant
    }

    private let keeping: OutboxKeeping
    private var batches: [Batch] = []
    private var totals = OutboxTotals()

    init(_ keeping: OutboxKeeping) { self.keeping = keeping }

    /// Takes note of rows that the log has acknowledged, up to a sequence.
    mutating func add(_ rows: Int, bytes: Int, through: CommitSequence, at time: ContinuousClock.Instant) {
        batches.append(
            Batch(totals: OutboxTotals(rows: rows, bytes: bytes), through: through, time: time))
        totals.rows += rows
        totals.bytes += bytes
    }

    /// Forgets the rows that were kept for long enough, and the oldest ones while there are too many.
    /// - Returns: the last one of them; nil if there are none.
    mutating func takeOld(at now: ContinuousClock.Instant) -> CommitSequence? {
        var count = 0
        for batch in batches {
            let isOver = totals.rows > keeping.max.rows || totals.bytes > keeping.max.bytes
            guard isOver || now - batch.time >= keeping.time else { break }
            totals.rows -= batch.totals.rows
            totals.bytes -= batch.totals.bytes
            count += 1
        }
        guard count > 0 else { return nil }
        defer { batches.removeFirst(count) }
        return batches[count - 1].through
    }
}
