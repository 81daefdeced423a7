import CloudModel

/// The memory of one match beside the index: the parsed event, and the facts found about it. Concurrent matches have
/// one each, and share the index, which none of them changes. In the steady state nothing allocates but folding beyond
/// ASCII, words, references in equalities and trees (`NEAR`, `LIST_MEMBER_BEGINS_WITH`), which use the walk.
package struct MatchingSpace: ~Copyable {
    var event = EventSlots()
    var atoms = AtomMemo()
    var searches = TextSearches()
    var changed = ChangedFields()
    /// Hashes of a text's parts.
    var hashes = Arena<UInt32>()
    var tenancies = ConcernedTenancies()
    /// Subscriptions that the event has found.
    var marks = Marks()
    /// The IDs of subscriptions that fire.
    var found = Arena<UInt32>()
    /// Entries that satisfy the record after, where the one before matters too.
    var pending = Arena<Entry>()
    /// Looks that `SubscriptionIndex.note` has not yet taken over.
    var sightings = Sightings()

    /// Room for one match at a time.
    package init() {}

    /// Returns true if enough was seen to pass it to the index (`SubscriptionIndex.note`).
    package var isToBeNoted: Bool { sightings.areMany }

    /// Bytes that the space takes.
    var bytes: Int {
        event.memory + atoms.bytes + searches.bytes + hashes.bytes + tenancies.memory + marks.bytes + found.bytes
            + pending.bytes + sightings.bytes
    }

    /// Puts the IDs of the subscriptions that fire on a change into `found`.
    mutating func match(_ change: Change, _ index: borrowing SubscriptionIndex) {
        found.removeAll()
        changed.removeAll()
        sightings.addEvent()
        marks.begin(idsEnd: index.subscriptions.idsEnd)
        guard let record = change.matched else {
            if let zone = change.affectedZone {
                tenancies.find(zone, nil, change, index)
                for place in 0..<tenancies.count { visitEvery(tenancies[place], change, index) }
            }
            return
        }
        load(record, index)
        let visitor = Visitor(
            change: change, record: record, kinds: Self.kinds(change), creator: creator(record, change, index))
        visitTenancies(visitor, index)
        guard change.after != nil, let before = change.before,
            index.subscriptions.watchersBefore > 0 || pending.count > 0
        else { return }
        load(before, index)
        for number in 0..<pending.count {
            let entry = pending.base[number]
            decide(entry, change, heldBefore: passes(entry, before, index), holdsAfter: true, index)
        }
        pending.removeAll()
        guard index.subscriptions.watchersBefore > 0 else { return }
        let second = Visitor(
            change: change, record: before, isOfBefore: true, kinds: Entry.decided, creator: nil)
        visitTenancies(second, index)
    }

    /// Takes a record in place of the one before; nothing is known of it.
    private mutating func load(_ record: Record, _ index: borrowing SubscriptionIndex) {
        event.load(record, index.vocabulary)
        atoms.removeAll()
        searches.removeAll()
    }

    private mutating func visitTenancies(_ visitor: Visitor, _ index: borrowing SubscriptionIndex) {
        tenancies.find(visitor.record.zone, visitor.record.type, visitor.change, index)
        for place in 0..<tenancies.count { visit(tenancies[place], visitor, index) }
    }

    /// The bits of an entry's head that a change asks for. Records without readers concern only subscriptions that do
    /// not watch records: `fires(on:)` decides.
    private static func kinds(_ change: Change) -> UInt32 {
        if change.database == .public, change.reader == nil { return Entry.decided }
        return change.kind.firingEvent.rawValue << Entry.firesOnShift
    }

    private mutating func creator(
        _ record: Record, _ change: Change, _ index: borrowing SubscriptionIndex
    ) -> UInt32? {
        guard change.database == .public, change.reader == .creator else { return nil }
        return tenancies.number(OperandName.owner, record.created.user.rawValue, index.vocabulary)
    }
}
