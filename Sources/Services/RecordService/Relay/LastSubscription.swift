import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore

/// The subscription event that each change names, for which a matcher waits: the last one below it in the order of
/// sequences. The relay fills it in, as a transaction may not see a lower event that is still to be committed. It is a
/// function of the order: a row that is published again says the same.
struct LastSubscription: Hashable, Sendable {
    /// The last event of the rows so far.
    private(set) var sequence: CommitSequence

    /// - Parameter sequence: the last event below all rows that are to come.
    init(after sequence: CommitSequence) { self.sequence = sequence }

    /// The rows that come next, with changes that name their event.
    mutating func filled(_ rows: [OutboxRow]) -> [OutboxRow] {
        let before = self
        return rows.map { row in
            pass(row)
            if case .changes = row.destination {
                return (Mistake.lastSubscriptionOfTheTransaction.isMade ? before : self).named(row)
            }
            return row
        }
    }

    /// Moves on behind a row.
    mutating func pass(_ row: OutboxRow) {
        if row.destination == .subscriptions { sequence = max(sequence, Self.event(of: row)) }
    }

    /// The event that a reader has reached with a row: a version that is published again has the name of the first
    /// time, and an entry before a removal says the sequence of its row.
    private static func event(of row: OutboxRow) -> CommitSequence {
        guard row.value != nil else { return row.sequence }
        return TopicLayout.sequence(ofSubscriptionKey: row.key) ?? row.sequence
    }

    /// The last value of a field counts, so that it is added and nothing is decoded.
    private func named(_ row: OutboxRow) -> OutboxRow {
        guard let value = row.value, sequence > .zero else { return row }
        var row = row
        row.value = value + ChangeEvent(lastSubscription: sequence.rawValue).encoded()
        return row
    }
}
