extension SubscriptionIndex {
    /// Returns true if enough was observed since the last time to call `crowded`, which looks at every bucket.
    package var isDueToAdapt: Bool { observations.isDue(buckets: buckets.count) }

    /// Subscriptions under keys that more events have than expected when they were filed. Inserting them again files
    /// them by the observations. A subscription without a better key is returned once, and again after twice as many
    /// events.
    /// - Parameters:
    ///     - limit: the IDs to return at most; the rest follows next time.
    ///     - entriesPerEvent: the entries of a bucket that an event may meet on average.
    ///     - eventsMin: the events of a tenancy after which its keys are judged.
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
        // Recent observations count more than old ones.
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
