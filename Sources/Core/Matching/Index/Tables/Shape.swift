/// Up to three facets that keys are made of together.
struct Facets: Hashable, BitwiseCopyable {
    var first: Facet
    var second = Facet.none
    var third = Facet.none
}

/// The dimensions that subscriptions of one tenancy are filed by together: each event looks once into each shape.
struct Shape: BitwiseCopyable {
    var tenancy: UInt32
    var facets: Facets
    /// The next shape of the tenancy, 0 for none.
    var next: UInt32
    /// The number of its buckets; the shape goes with the last.
    var buckets: UInt32 = 0
    /// The shape before it in the tenancy, while it is not the first.
    var previous: UInt32 = 0
}
