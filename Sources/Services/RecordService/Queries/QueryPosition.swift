import CloudModel
import Matching

/// A place in the order of a query's results.
struct QueryPosition: Hashable, Sendable {
    /// The values that order the record, entry by entry of `sortBy`; nil where it lacks the field.
    var keys: [FieldValue?]
    /// The store's number of the record, which decides between equals.
    var number: Int64
}

/// The order of a query's results. Records without a field come last in both directions. Equal ones are in the order of
/// their creation, or in its reverse if the first entry is descending, so that an index can be walked either way.
struct QueryOrder: Sendable {
    let sorts: [Sort]

    var isAscending: Bool { sorts.first?.isAscending ?? true }

    /// The values that order a record.
    func position(of record: Record, number: Int64) -> QueryPosition {
        QueryPosition(keys: sorts.map { Self.key($0, record) }, number: number)
    }

    private static func key(_ sort: Sort, _ record: Record) -> FieldValue? {
        let value = record.value(of: sort.field)
        if let centre = sort.relativeLocation {
            guard case .location(let place) = value else { return nil }
            return .double(place.distance(to: centre))
        }
        // A value that is not equal to itself (NaN) has no position.
        return value.flatMap { ValueOrdering.compare($0, $0) == nil ? nil : $0 }
    }

    /// Returns true if the first place comes before the second.
    func isBefore(_ left: QueryPosition, _ right: QueryPosition) -> Bool {
        for (index, sort) in sorts.enumerated() {
            switch (left.keys[index], right.keys[index]) {
            case (nil, nil): continue
            case (_?, nil): return true
            case (nil, _?): return false
            case (let a?, let b?):
                guard let order = ValueOrdering.compare(a, b), order != .equal else { continue }
                return (order == .less) == sort.isAscending
            }
        }
        return left.number != right.number && (left.number < right.number) == isAscending
    }
}
