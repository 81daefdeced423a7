import CloudModel

/// The subscriptions of one database and store with a backfill, by the sequence of their creation, and those of each
/// user.
struct BackfillList {
    /// A subscription by its creation.
    typealias Item = (created: CommitSequence, key: SubscriptionKey)

    /// The incarnation of the store.
    let store: UInt64
    /// Ascending.
    private var items: [Item] = []
    /// The creations in each lane, ascending.
    private var lanes: [UInt64: [CommitSequence]] = [:]

    init(store: UInt64) { self.store = store }

    /// The last one.
    var last: CommitSequence? { items.last?.created }

    /// Adds a subscription; one that is there stays.
    mutating func insert(_ created: CommitSequence, _ key: SubscriptionKey) {
        let place = items.place(after: created, \.created)
        if place > 0, items[place - 1].created == created { return }
        items.insert((created, key), at: place)
        let lane = PastLane.id(of: key.user, store: store)
        lanes[lane, default: []].insert(created, at: lanes[lane, default: []].place(after: created, \.self))
    }

    /// Removes a subscription, if it is there.
    mutating func remove(_ created: CommitSequence) {
        let place = items.place(after: created, \.created) - 1
        guard place >= 0, items[place].created == created else { return }
        let lane = PastLane.id(of: items.remove(at: place).key.user, store: store)
        lanes[lane]?.removeAll { $0 == created }
        if lanes[lane]?.isEmpty == true { lanes[lane] = nil }
    }

    /// The first ones that were created after another.
    func first(_ count: Int, after created: CommitSequence) -> [Item] {
        Array(items[items.place(after: created, \.created)...].prefix(count))
    }

    /// Those in a lane that were created after one sequence and up to another.
    func items(in lane: UInt64, after done: CommitSequence, upTo end: CommitSequence) -> [Item] {
        guard let own = lanes[lane] else { return [] }
        return own[own.place(after: done, \.self)...].prefix { $0 <= end }.map {
            items[items.place(after: $0, \.created) - 1]
        }
    }
}

extension Array {
    /// The number of elements whose sequences, which ascend, are not above another.
    fileprivate func place(after created: CommitSequence, _ sequence: (Element) -> CommitSequence) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if sequence(self[middle]) <= created { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
