/// The observed likelihoods of crowded keys, by which their subscriptions are filed again.
struct Observations {
    /// A key of one facet in a tenancy.
    struct Key: Hashable {
        var tenancy: UInt32
        var facet: UInt32
        var key: UInt32
    }

    private struct Observation {
        /// The part of the events that look there.
        var likelihood: Double
        /// The number of entries at the start of the bucket that were not handed out for refiling; returning ones are
        /// appended.
        var untried: Int
    }

    /// Keys that are remembered; then all are forgotten, and crowded ones are seen again.
    private static let keysMax = 4096
    /// Events between two looks at all buckets, at least.
    private static let eventsBetween = 4096

    private var observed: [Key: Observation] = [:]
    private var events = 0

    /// The part of the events that look under a key, if it was crowded.
    func likelihood(_ facet: Facet, _ key: UInt32, in tenancy: UInt32) -> Double? {
        guard !observed.isEmpty else { return nil }
        return observed[Key(tenancy: tenancy, facet: facet.word, key: key)]?.likelihood
    }

    /// Counts events that were matched.
    mutating func noteEvents(_ count: Int) { events += count }

    /// Returns true if enough events were seen since the last time to look at so many buckets again.
    func isDue(buckets: Int) -> Bool { events >= max(Self.eventsBetween, buckets / 4) }

    /// Starts a new count of events.
    mutating func restart() { events = 0 }

    /// Takes some entries of a crowded bucket that were not handed out yet; all are available again after the
    /// likelihood has doubled.
    /// - Parameters:
    ///     - count: the number of the bucket's entries.
    ///     - limit: the number of entries to take at most.
    /// - Returns: the positions of the entries in the bucket.
    mutating func takeUntried(_ key: Key, likelihood: Double, count: Int, limit: Int) -> Range<Int> {
        let fresh = Observation(likelihood: likelihood, untried: count)
        var observation = observed[key] ?? fresh
        if likelihood > 2 * observation.likelihood { observation = fresh }
        let untried = min(observation.untried, count)
        observation.untried = max(0, untried - limit)
        if observed.count >= Self.keysMax { observed.removeAll() }
        observed[key] = observation
        return observation.untried..<untried
    }
}
