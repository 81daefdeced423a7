import CloudModel

/// Entries of the buckets that an event looks into.
extension MatchingSpace {
    /// Adds the subscriptions of a bucket that fire on the event.
    mutating func scan(_ number: Int, _ visitor: Visitor, _ index: borrowing SubscriptionIndex) {
        let bucket = index.buckets[number]
        let entries = index.buckets.entries(of: bucket)
        let count = Int(bucket.count)
        let kinds = visitor.kinds
        var place = 0
        while place < count {
            let entry = entries[place]
            place += 1
            guard entry.has(kinds), passes(entry, visitor.record, index) else { continue }
            let id = entry.id
            if entry.has(Entry.repeated | Entry.decided) || visitor.creator != nil {
                if entry.has(Entry.repeated), !marks.mark(id) { continue }
                if entry.has(Entry.decided) {
                    decide(entry, visitor, index)
                    continue
                }
                if let creator = visitor.creator, index.subscriptions[id].owner != creator { continue }
            }
            found.append(id)
        }
    }

    // MARK: Decisions by both records

    /// Visits the entries that every change of a zone concerns: it has no record, and only subscriptions without a
    /// predicate fire.
    mutating func visitEvery(_ tenancy: UInt32, _ change: Change, _ index: borrowing SubscriptionIndex) {
        for shape in index.shapes.shapesOfAll(tenancy) where index.shapes[shape].facets.first.kind == .every {
            guard let number = index.buckets.find(shape, (0, 0, 0)) else { continue }
            let bucket = index.buckets[number]
            let entries = index.buckets.entries(of: bucket)
            for place in 0..<Int(bucket.count) where entries[place].has(Entry.decided) {
                decide(entries[place], change, heldBefore: false, holdsAfter: false, index)
            }
        }
    }

    /// Decides by the record at hand, which satisfies the program, and by the known facts of the other one.
    private mutating func decide(_ entry: Entry, _ visitor: Visitor, _ index: borrowing SubscriptionIndex) {
        let change = visitor.change
        guard change.before != nil, change.after != nil else {
            return decide(
                entry, change, heldBefore: change.after == nil, holdsAfter: change.after != nil, index)
        }
        // What satisfied the record after is marked and does not come here a second time.
        if visitor.isOfBefore { return decide(entry, change, heldBefore: true, holdsAfter: false, index) }
        if index.subscriptions.decided(entry.id)?.comparesRecords == true {
            pending.append(entry)
        } else {
            decide(entry, change, heldBefore: false, holdsAfter: true, index)
        }
    }

    /// Adds a subscription that fires by what holds for the two records.
    mutating func decide(
        _ entry: Entry, _ change: Change, heldBefore: Bool, holdsAfter: Bool, _ index: borrowing SubscriptionIndex
    ) {
        guard let subscription = index.subscriptions.decided(entry.id) else { return }
        let fires = subscription.fires(
            on: change, heldBefore: heldBefore, holdsAfter: holdsAfter, isChanged: { changed.has($0, change) })
        if fires { found.append(entry.id) }
    }
}
