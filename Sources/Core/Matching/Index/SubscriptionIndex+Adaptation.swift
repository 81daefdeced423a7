extension SubscriptionIndex {
    /// Returns true if enough was seen since the last time for `crowded` to be worth its while: it looks at every bucket.
    package var isDueToAdapt: Bool { observations.isDue(buckets: buckets.count) }

    /// Subscriptions that are filed under keys that many events have, unlike what was expected when they were filed: to be
    /// inserted again, which files them by what was seen since. A place that nothing better is found for is told of once, and
    /// again when twice as many events look there.
    /// - Parameters:
    ///   - limit: so many IDs at most; the rest follows next time.
    ///   - entriesPerEvent: how many entries of a bucket an event may meet on average.
    ///   - eventsMin: events of a tenancy that say something about its keys.
    package mutating func crowded(limit: Int = 500, entriesPerEvent: Double = 4, eventsMin: UInt32 = 256) -> [Int] {
        observations.restart()
        var ids: [Int] = []
        for number in buckets.numbers where buckets[number].shape != 0 && ids.count < limit {
            let bucket = buckets[number]
            let shape = shapes[bucket.shape]
            let events = tenancies[shape.tenancy].events
            guard shape.facets.second.isNone, shape.facets.first.kind.hasAlternatives, events >= eventsMin else {
                continue
            }
            let likelihood = Double(bucket.hits) / Double(events)
            guard likelihood * Double(bucket.count) > entriesPerEvent else { continue }
            let key = Observations.Key(
                tenancy: shape.tenancy, facet: shape.facets.first.word, key: bucket.keys.0)
            let entries = buckets.entries(of: bucket)
            let untried = observations.takeUntried(
                key, likelihood: likelihood, count: Int(bucket.count), limit: limit - ids.count)
            for index in untried { ids.append(Int(entries[index].id)) }
        }
        // What was seen of late counts more than what was seen long ago.
        buckets.age()
        tenancies.age()
        return ids
    }
}

extension Facet.Kind {
    /// Returns true if a subscription that is filed so may have another way; the rest is taken for want of one.
    fileprivate var hasAlternatives: Bool {
        switch self {
        case .equals, .cell, .member, .begins, .holds, .token, .near, .changed: true
        case .above, .below, .present, .every: false
        }
    }
}
