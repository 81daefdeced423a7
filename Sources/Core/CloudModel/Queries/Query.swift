/// A search for records of one type that pass all filters and the predicate string. A query with neither is CloudKit's
/// `TRUEPREDICATE`. Values have the types of their fields, where the schema knows them.
package struct Query: Hashable, Sendable {
    /// The type of the records that are looked at.
    package var recordType: RecordType
    /// The entries of `filterBy`, all of which have to hold.
    package var filters: [Filter]
    /// The predicate string, which has to hold beside them; nil when the request has none.
    package var written: WrittenPredicate?

    package init(recordType: RecordType, filters: [Filter], written: WrittenPredicate? = nil) {
        self.recordType = recordType
        self.filters = filters
        self.written = written
    }

    /// Filters and predicate string as one tree.
    package var predicate: Predicate {
        var parts = filters.map(\.predicate)
        if let written { parts.append(written.tree) }
        switch parts.count {
        case 0: return .always
        case 1: return parts[0]
        default: return .all(parts)
        }
    }
}
