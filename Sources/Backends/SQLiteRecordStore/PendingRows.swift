import CloudModel
import RecordStore

/// Rows that a closure's changes come down to, kept until its end or until somebody reads them: many changes of one row
/// are one, and rows of one index go into its pages together.
final class PendingRows {
    /// A row of `entries`.
    struct Entry {
        var index: Int64
        var zone: Int64
        var key: IndexKey
        var record: Int64
    }

    /// The key of a row of `usage`.
    struct UsageKey: Hashable {
        var user: UserRecordName
        var kind: UsageKind
    }

    /// Entries are written when there are so many, as they take memory.
    static let entriesMax = 20_000

    /// The store's sequence before the closure, once it was read.
    var settled: CommitSequence?
    /// The number that the next sequence follows, once the closure has taken or left out some.
    var used: Int64?
    /// The last sequence that the closure took.
    var taken: CommitSequence?
    /// Sequences of last changes, by the number of the database.
    var lastChanges: [Int64: Int64] = [:]
    /// Amounts that were read and changed since.
    var usage: [UsageKey: Int64] = [:]
    /// Entries to be inserted.
    var entries: [Entry] = []

    /// Takes the entries, in the order of the table or nearly so: it makes their pages come together, and decides
    /// nothing.
    func takeEntries() -> [Entry] {
        defer { entries = [] }
        return entries.sorted {
            ($0.index, $0.zone) == ($1.index, $1.zone)
                ? $0.key.comesBefore($1.key) : ($0.index, $0.zone) < ($1.index, $1.zone)
        }
    }
}

extension IndexKey {
    fileprivate func comesBefore(_ other: IndexKey) -> Bool {
        switch (self, other) {
        case (.integer(let one), .integer(let two)): one < two
        case (.real(let one), .real(let two)): one < two
        case (.text(let one), .text(let two)): one < two
        case (.text, _): false
        case (_, .text): true
        case (.integer(let one), .real(let two)): Double(one) < two
        case (.real(let one), .integer(let two)): one < Double(two)
        }
    }
}
