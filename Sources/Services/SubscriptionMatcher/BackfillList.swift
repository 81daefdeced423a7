import CloudModel

/// The subscriptions of one database and store with a backfill, by the sequence of their creation: the order of their
/// backfills.
struct BackfillList {
    /// Ascending.
    private var items: [(created: CommitSequence, key: SubscriptionKey)] = []

    /// The last one.
    var last: CommitSequence? { items.last?.created }

    /// Adds a subscription; one that is there stays.
    mutating func insert(_ created: CommitSequence, _ key: SubscriptionKey) {
        let place = place(after: created)
        if place > 0, items[place - 1].created == created { return }
        items.insert((created, key), at: place)
    }

    /// Removes a subscription, if it is there.
    mutating func remove(_ created: CommitSequence) {
        let place = place(after: created) - 1
        if place >= 0, items[place].created == created { items.remove(at: place) }
    }

    /// The first one that was created after another.
    func first(after created: CommitSequence) -> (created: CommitSequence, key: SubscriptionKey)? {
        let place = place(after: created)
        return place < items.count ? items[place] : nil
    }

    /// The number of subscriptions that were created up to a sequence.
    private func place(after created: CommitSequence) -> Int {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].created <= created { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
