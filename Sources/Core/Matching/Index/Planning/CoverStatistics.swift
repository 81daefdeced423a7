/// The statistics that a `CoverPlanner` asks for.
protocol CoverStatistics: ~Copyable {
    /// The part of a tenancy's events that were seen to look under a key; nil when nothing was seen of it.
    func observedLikelihood(_ facet: Facet, _ key: UInt32, in tenancy: UInt32) -> Double?

    /// The likelihood of an event to look under a key, seen or expected.
    func likelihood(_ facet: Facet, _ key: UInt32, in tenancy: UInt32) -> Double

    /// Returns true if a tenancy may have a shape of several facets, each of which takes every event a look.
    func hasRoom(for facets: Facets, in tenancy: UInt32) -> Bool
}
