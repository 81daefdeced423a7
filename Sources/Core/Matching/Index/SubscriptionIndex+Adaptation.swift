extension SubscriptionIndex {
    /// A key of one facet in a tenancy.
    struct ObservedKey: Hashable {
        var partition: UInt32
        var facet: UInt32
        var key: UInt32
    }

    /// What was seen of a key under which too many were filed.
    struct Observation {
        /// The part of the events that look there.
        var likelihood: Double
        /// How many entries at the beginning of the bucket were not handed out to be filed anew; those that come back are
        /// appended.
        var untried: Int
    }

    private static let observationsMax = 4096
    /// Events between two looks at all buckets, at least.
    private static let eventsBetween = 4096

    /// Whether enough was seen since the last time for `crowded` to be worth its while: it looks at every bucket.
    package var isDueToAdapt: Bool { eventsSinceAdaptation >= max(Self.eventsBetween, bucketCount / 4) }

    /// Subscriptions that are filed under keys that many events have, unlike what was expected when they were filed: to be
    /// inserted again, which files them by what was seen since. A place that nothing better is found for is told of once, and
    /// again when twice as many events look there.
    /// - Parameters:
    ///   - limit: so many IDs at most; the rest follows next time.
    ///   - entriesPerEvent: how many entries of a bucket an event may meet on average.
    ///   - eventsMin: events of a tenancy that say something about its keys.
    package mutating func crowded(limit: Int = 500, entriesPerEvent: Double = 4, eventsMin: UInt32 = 256) -> [Int] {
        eventsSinceAdaptation = 0
        var ids: [Int] = []
        for number in 1..<buckets.count where buckets[number].shape != 0 && ids.count < limit {
            let bucket = buckets[number]
            let shape = shapes[Int(bucket.shape)]
            let events = partitions[Int(shape.partition)].events
            guard shape.facets.1.isNone, shape.facets.0.kind.hasAlternatives, events >= eventsMin else { continue }
            let likelihood = Double(bucket.hits) / Double(events)
            guard likelihood * Double(bucket.count) > entriesPerEvent else { continue }
            let key = ObservedKey(partition: shape.partition, facet: shape.facets.0.word, key: bucket.keys.0)
            let fresh = Observation(likelihood: likelihood, untried: Int(bucket.count))
            var observation = observed[key] ?? fresh
            if likelihood > 2 * observation.likelihood { observation = fresh }
            let untried = min(observation.untried, Int(bucket.count))
            let rest = max(0, untried - (limit - ids.count))
            for index in rest..<untried {
                ids.append(Int(postings.base[Int(bucket.start) + index].head & Entry.idMask))
            }
            observation.untried = rest
            if observed.count >= Self.observationsMax { observed.removeAll() }
            observed[key] = observation
        }
        age()
        return ids
    }

    /// What was seen of late counts more than what was seen long ago.
    private mutating func age() {
        for number in 1..<buckets.count { buckets.base[number].hits >>= 1 }
        for number in 0..<partitions.count { partitions.base[number].events >>= 1 }
    }

    /// What was seen of a key that was crowded.
    func observedLikelihood(_ facet: Facet, _ key: UInt32, _ partition: UInt32) -> Double? {
        guard !observed.isEmpty else { return nil }
        return observed[ObservedKey(partition: partition, facet: facet.word, key: key)]?.likelihood
    }
}

extension Facet.Kind {
    /// Whether a subscription that is filed so may have another way; the rest is what is taken for want of one.
    fileprivate var hasAlternatives: Bool {
        switch self {
        case .equals, .cell, .member, .begins, .holds, .token, .near, .changed: true
        case .above, .below, .present, .every: false
        }
    }
}
