import CloudModel
import RecordStore

/// The sequences of a weak store: those that are taken, those that are settled, and the writes between.
struct WeakSequences {
    /// A write that has taken its sequences and is not committed.
    struct Held {
        var part: StorePart
        /// The sequence before its first one, and its last one.
        var before: Int64
        var last: Int64
        /// The rows that it will add.
        var rows: [OutboxRow]
        /// The time of the last commit that it has seen.
        var committed: Timestamp
        /// True once another write has met it: it has to take other sequences.
        var isVoid = false
    }

    /// The last sequence that was taken by anybody, committed or not.
    var taken: Int64 = 0
    /// The settled sequence, as readers are handed it.
    var settled: Int64 = 0
    /// Committed rows above it, in their order: the table of the outbox has the others.
    var unsettled: [OutboxRow] = []
    var held: [Int: Held] = [:]
    /// The number of the last held write.
    var lastHeld = 0

    /// The sequence up to which no write is open.
    var horizon: Int64 { held.values.filter { !$0.isVoid }.map(\.before).min() ?? taken }

    /// The sequences of a copy that takes the place of the store; no write goes on in it.
    func again(after last: Int) -> WeakSequences {
        var copy = self
        copy.held = [:]
        copy.lastHeld = last
        return copy
    }

    /// Makes held writes void that a commit has met.
    mutating func meet(_ part: StorePart, _ rows: [OutboxRow]) {
        let keys = Set(rows.map(Key.init))
        for (number, write) in held where !write.isVoid {
            let isMet =
                Self.owner(part) != nil && Self.owner(part) == Self.owner(write.part)
                || part == .whole && !rows.isEmpty
                || write.rows.contains { keys.contains(Key($0)) }
                // Times do not go back where sequences ascend.
                || rows.contains { row in write.rows.contains { $0.time > row.time } }
            if isMet { held[number]?.isVoid = true }
        }
    }

    /// The key of a row's order.
    private struct Key: Hashable {
        var destination: OutboxRow.Destination
        var key: [UInt8]

        init(_ row: OutboxRow) { (destination, key) = (row.destination, row.key) }
    }

    private static func owner(_ part: StorePart) -> UserRecordName? {
        switch part {
        case .database(let owner), .user(let owner): owner
        case .records, .whole: nil
        }
    }
}
