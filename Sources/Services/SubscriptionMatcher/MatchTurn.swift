import CloudModel
import Matching

/// The changes of a partition that a thread matches in one turn: a few, so that others' changes are matched in between.
struct MatchTurn {
    /// Bytes of texts after which a turn is over.
    static let bytesMax = 256 << 10
    /// The bytes that a change counts as beside its texts.
    private static let changeBytes = 512

    /// The number of changes; one at least.
    private(set) var count = 0
    /// The bytes that the changes count as.
    private(set) var cost = 0
    /// The account whose turn it is: that of the first change.
    let account: String

    /// - Parameter changes: one at least, in their order.
    init(_ changes: some Sequence<Change>) {
        var account: String?
        for change in changes where cost < Self.bytesMax {
            account = account ?? change.origin.user.rawValue
            cost += Self.changeBytes + (change.before?.textBytes ?? 0) + (change.after?.textBytes ?? 0)
            count += 1
        }
        self.account = account ?? ""
    }
}

extension Record {
    /// The bytes of the texts that conditions look through.
    fileprivate var textBytes: Int {
        fields.entries.reduce(0) { sum, entry in
            sum + entry.value.texts.reduce(0) { $0 + $1.utf8.count }
        }
    }
}
