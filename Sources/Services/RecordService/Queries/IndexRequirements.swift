import CloudModel
import RecordStore

/// Checks that the schema's indexes permit a query or a subscription (docs/cloudkit.md#indexes): QUERYABLE for any
/// filter, SEARCHABLE for words; a query also needs SORTABLE for ranges and for order.
struct IndexRequirements {
    let indexes: TypeIndexes

    /// - Throws: `BAD_REQUEST` that names the field and the index it lacks.
    func check(_ predicate: Predicate, _ sorts: [Sort]) throws(CloudError) {
        if predicate == .always { try need(.queryable, .system(.recordName)) }
        try check(predicate, ranges: [.queryable, .sortable])
        for sort in sorts { try need(.sortable, sort.field) }
    }

    /// Checks the predicate of a subscription: all records of a type and ranges need no more than the rest.
    /// - Throws: as for queries.
    func check(watching predicate: Predicate) throws(CloudError) { try check(predicate, ranges: [.queryable]) }

    private func check(_ predicate: Predicate, ranges: [FieldIndexes]) throws(CloudError) {
        switch predicate {
        case .always: break
        case .all(let parts), .any(let parts): for part in parts { try check(part, ranges: ranges) }
        case .not(let part): try check(part, ranges: ranges)
        case .comparison(let comparison):
            switch comparison.relation {
            case .containsAllTokens, .containsAnyTokens: try need(.searchable, comparison.field)
            case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals:
                for index in ranges { try need(index, comparison.field) }
            default: try need(.queryable, comparison.field)
            }
        }
    }

    private func need(_ index: FieldIndexes, _ field: FilterField) throws(CloudError) {
        guard !(indexes.indexes(of: field) ?? []).isSuperset(of: index) else { return }
        let name =
            switch index {
            case .queryable: "queryable"
            case .sortable: "sortable"
            default: "searchable"
            }
        throw .badRequest("Field '\(field)' is not marked \(name)")
    }
}
