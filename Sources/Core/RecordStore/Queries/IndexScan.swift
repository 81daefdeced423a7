package import CloudModel

/// A condition on index rows. It finds candidates: testing each record against the query is the caller's
/// responsibility. `StoreCapabilities` limits its size.
package indirect enum IndexCondition: Hashable, Sendable {
    /// Records with one of the keys, or one within the ranges.
    case keys(IndexID, equal: [IndexKey], within: [IndexKeyRange])
    /// Records of these names.
    case names([RecordName])
    /// Records with all of the words, or with one of them.
    case words([String], areAllNeeded: Bool)
    /// Records that one of the conditions finds.
    case any([IndexCondition])

    /// Lists of keys, ranges and lists of words in the condition.
    package var parts: Int {
        switch self {
        case .keys(_, let equal, let ranges): (equal.isEmpty ? 0 : 1) + ranges.count
        case .names, .words: 1
        case .any(let conditions): conditions.reduce(0) { $0 + $1.parts }
        }
    }

    /// Single keys and names in the condition.
    package var keys: Int {
        switch self {
        case .keys(_, let equal, _): equal.count
        case .names(let names): names.count
        case .words(let words, _): words.count
        case .any(let conditions): conditions.reduce(0) { $0 + $1.keys }
        }
    }
}

/// A walk over the records of one type in some zones.
package struct IndexScan: Hashable, Sendable {
    /// The order of the walk. Descending orders are the exact reverse of ascending ones.
    package enum Order: Hashable, Sendable {
        /// By number, which is the order of creation.
        case number(isAscending: Bool)
        /// By an index's keys and then by number; records without a key are left out.
        case key(IndexID, IndexKeyRange, isAscending: Bool)
        /// By record name and then by number.
        case name(isAscending: Bool)
        /// By number, those alone that have no key in an index.
        case lacking(IndexID, isAscending: Bool)
    }

    /// The type of the records.
    package var type: RecordType
    /// The database that holds the zones.
    package var database: DatabaseScope
    /// The zones that are walked over, as one.
    package var zones: [ZoneID]
    /// Nil finds all. With an order by number only.
    package var condition: IndexCondition?
    /// The order of the walk.
    package var order: Order
    /// Begin after this number (before it when descending); in orders by key or name, after this number at `from`.
    package var after: Int64?
    /// Begin at this key or name.
    package var from: IndexKey?

    /// A walk from the start.
    package init(
        type: RecordType, database: DatabaseScope, zones: [ZoneID], condition: IndexCondition? = nil, order: Order,
        from: IndexKey? = nil, after: Int64? = nil
    ) {
        self.type = type
        self.database = database
        self.zones = zones
        self.condition = condition
        self.order = order
        self.from = from
        self.after = after
    }
}

/// A record that a walk came by.
package struct ScannedRecord: Hashable, Sendable {
    /// The store's number of the record: ascending in the order of creation, kept through updates.
    package var number: Int64
    /// In orders by key or name.
    package var key: IndexKey?
    package var record: StoredRecord

    /// A record at its place in the order.
    package init(number: Int64, key: IndexKey?, record: StoredRecord) {
        self.number = number
        self.key = key
        self.record = record
    }
}
