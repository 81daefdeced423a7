extension SubscriptionIndex: CoverStatistics {
    /// Combinations of facets in one tenancy, each of which takes every event a look.
    private static let combinedShapesMax: UInt32 = 64

    func observedLikelihood(_ facet: Facet, _ key: UInt32, in tenancy: UInt32) -> Double? {
        observations.likelihood(facet, key, in: tenancy)
    }

    /// The likelihood that was seen, or else an estimate by how many subscriptions ask for the value.
    func likelihood(_ facet: Facet, _ key: UInt32, in tenancy: UInt32) -> Double {
        if let seen = observedLikelihood(facet, key, in: tenancy) { return seen }
        let counts = tenancies[tenancy]
        if counts.events > CoverCosts.eventsMin, let shape = shapes.number(of: Facets(first: facet), in: tenancy),
            let bucket = buckets.find(shape, (key, 0, 0))
        {
            return (Double(buckets[bucket].hits) + 1) / (Double(counts.events) + 1)
        }
        guard facet.hasOperands else { return CoverCosts.uncounted }
        return CoverCosts.value(holders: vocabulary.holders(ofOperand: key), subscriptions: counts.subscriptions)
    }

    func hasRoom(for facets: Facets, in tenancy: UInt32) -> Bool {
        shapes.chain(of: tenancy).count < Self.combinedShapesMax || shapes.number(of: facets, in: tenancy) != nil
    }
}
