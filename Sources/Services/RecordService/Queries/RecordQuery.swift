package import CloudModel

/// A question of `records/query`, before the schema has seen it.
package struct RecordQuery: Hashable, Sendable {
    /// The zones in which records are looked for.
    package enum Zones: Hashable, Sendable {
        /// Every zone of the database that the caller may read.
        case all
        /// One zone.
        case one(GivenZone)
    }

    /// The type, filters and order.
    package var query: GivenQuery
    /// The order of the results; empty is the order of creation.
    package var sorts: [Sort]
    /// The zones in which records are looked for.
    package var zones: Zones
    /// Records of a page.
    package var limit: Int
    /// The end of the page before.
    package var marker: String?
    /// Bytes of a value that the page has at most, 1 to `Limits.recordBytesMax`; longer ones come cut, and the page counts
    /// cut values. Nil leaves values whole.
    package var valueBytesMax: Int?

    /// A page of a query.
    package init(
        query: GivenQuery, sorts: [Sort] = [], zones: Zones = .one(.default),
        limit: Int = Limits.operationsMax, marker: String? = nil
    ) {
        self.query = query
        self.sorts = sorts
        self.zones = zones
        self.limit = limit
        self.marker = marker
    }
}

/// A page of a query's results.
package struct RecordQueryPage: Hashable, Sendable {
    /// The records of the page, in order.
    package var records: [Record]
    /// The start of the next page; nil at the end.
    package var marker: String?
    /// The state that the first page shows, as a token from which a subscription goes on; nil for anonymous callers.
    package var syncToken: String? = nil
}
