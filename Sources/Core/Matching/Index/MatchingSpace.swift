import CloudModel

/// What one match needs beside the index: the event taken apart, and what was found out about it. Matches that run at the
/// same time have one each, and share the index, which none of them changes.
package struct MatchingSpace: ~Copyable {
    var event = EventSlots()
    var atoms = AtomMemo()
    var searches = TextSearches()
    /// Which fields the change changed, as far as that was asked.
    var changed: [FieldName: Bool] = [:]

    /// For each ID the last event that found it, of those that can be found twice.
    var marks = Arena<UInt32>()
    var mark: UInt32 = 0
    var found = Arena<UInt32>()
    /// Entries that satisfy the record after, where the one before matters too.
    var pending = Arena<Entry>()
    var hashes = Arena<UInt32>()
    /// The tenancies that the record at hand concerns.
    var tenancies = Arena<UInt32>()

    /// Buckets and tenancies that events looked into, which `SubscriptionIndex.note` has not yet taken over.
    var looks = Arena<UInt32>()
    var visits = Arena<UInt32>()
    var events = 0

    /// Room for one match at a time.
    package init() {}

    /// Whether so much was seen that the index should be told (`SubscriptionIndex.note`).
    package var isToBeNoted: Bool { looks.count > 4096 || events >= 256 }

    /// Bytes that the space takes.
    var bytes: Int {
        event.memory + atoms.bytes + searches.bytes + marks.bytes + found.bytes + pending.bytes + hashes.bytes
            + looks.bytes + visits.bytes
    }

    /// Takes a record in place of the one before; nothing is known of it.
    mutating func load(_ record: Record, _ index: borrowing SubscriptionIndex) {
        event.load(record, index)
        atoms.removeAll()
        searches.removeAll()
    }
}

/// A space that an index keeps for matches one at a time.
final class OwnSpace {
    var space = MatchingSpace()
}
