/// A place where a subscription is filed: a key of some facets.
struct PathKey {
    var facets: Facets
    var keys: BucketKeys

    init(facets: Facets, keys: BucketKeys) {
        self.facets = facets
        self.keys = keys
    }

    /// A key of one facet.
    init(_ facet: Facet, _ key: UInt32) { self.init(facets: Facets(first: facet), keys: (key, 0, 0)) }
}

/// A way to find a subscription: every event that satisfies it looks under one of the keys.
struct Cover {
    /// The likelihood that an event finds it, satisfied or not.
    var cost: Double
    var keys: [PathKey]
    /// True when one event may look under several of the keys.
    var isRepeated: Bool
    /// The tests, by their place in the conjunction, that every event satisfies that looks under the keys.
    var implied: [Int] = []

    /// The cover of a condition that no event satisfies.
    static let nothing = Cover(cost: 0, keys: [], isRepeated: false)
    /// The cover that every event finds.
    static let everything = Cover(cost: 1, keys: [PathKey(Facet(.every), 0)], isRepeated: false)
}
