import CloudModel
import EventLog

/// A journal as its readers see it: repeats dropped, with its own errors.
struct SiftedTopic {
    /// Something that is wrong with an entry.
    struct Fault {
        var kind: AuditFinding.Kind
        var entry: DeliveredEntry
        var detail: String
    }

    /// First occurrences, in order.
    private(set) var delivered: [DeliveredEntry] = []
    /// The places in `delivered`, by name.
    private(set) var byName: [SourcePosition: Int] = [:]
    private(set) var faults: [Fault] = []
    /// The first entry whose predecessor did not come: it may have been no notification.
    private(set) var gap: Fault?
    /// The first offset that the journal's partition keeps.
    let start: Int64

    /// Sifts the entries of a topic.
    init(_ entries: [DeliveredEntry], from start: Int64, of user: UserRecordName) {
        self.start = start
        var position = LogPosition(offset: 0)
        var contents: [DeliveredEntry.Content: Int64] = [:]
        var broken: [DeliveredEntry] = []
        for entry in entries {
            let seen = position.seen
            guard position.advance(to: entry.name) else {
                takeBehind(entry)
                continue
            }
            // A trimmed topic may start with repeats of removed entries. Behind the named one of its source others may
            // have come: from before a loss of `deliveries`, or a restore.
            if start == 0, let predecessor = entry.predecessor,
                seen[predecessor.source].map(predecessor.isAbove) ?? true
            {
                broken.append(entry)
            }
            guard entry.user == user.rawValue else {
                fault(.foreign, entry, "it is \(entry.user)'s")
                continue
            }
            if entry.isOnce, let first = contents.updateValue(entry.offset, forKey: entry.content) {
                fault(.doubled, entry, "it is also at \(first)")
                continue
            }
            byName[entry.name] = delivered.count
            delivered.append(entry)
        }
        gap = broken.first.map {
            Fault(kind: .gap, entry: $0, detail: "the entry before it, \($0.predecessor!), is missing")
        }
    }

    /// Returns true if retention may have taken the entry of a name: it is below all that is kept.
    func isTrimmed(_ name: SourcePosition) -> Bool {
        guard start > 0 else { return false }
        guard let first = delivered.first(where: { $0.name.source == name.source }) else { return true }
        return first.name.isAbove(name)
    }

    /// Takes an entry that does not advance: a repeat, or one that was moved behind others.
    private mutating func takeBehind(_ entry: DeliveredEntry) {
        if let known = byName[entry.name] {
            // A repeat of another content would have been another entry.
            if delivered[known].content != entry.content {
                fault(.outOfOrder, entry, "it has the name of the entry at \(delivered[known].offset)")
            }
        } else if !isTrimmed(entry.name), !faults.contains(where: { $0.entry.name == entry.name }) {
            fault(.outOfOrder, entry, "\(entry.name) stands behind later ones, where readers drop it")
            byName[entry.name] = delivered.count
            delivered.append(entry)
        }
    }

    private mutating func fault(_ kind: AuditFinding.Kind, _ entry: DeliveredEntry, _ detail: String) {
        faults.append(Fault(kind: kind, entry: entry, detail: detail))
    }
}
