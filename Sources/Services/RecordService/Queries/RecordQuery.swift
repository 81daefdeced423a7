package import CloudModel

/// What `records/query` asks for, before the schema has seen it.
package struct RecordQuery: Hashable, Sendable {
    /// Where records are looked for.
    package enum Zones: Hashable, Sendable {
        /// All zones of the database that the caller may read.
        case all
        /// One zone.
        case one(GivenZone)
    }

    /// What is looked for.
    package var query: GivenQuery
    /// The order of the results; empty is the order of creation.
    package var sorts: [Sort]
    /// Where records are looked for.
    package var zones: Zones
    /// Records of a page.
    package var limit: Int
    /// Where the page before ended.
    package var marker: String?

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
    /// Where the next page begins; nil at the end.
    package var marker: String?
}
