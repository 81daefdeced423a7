import CloudModel
import RecordStore

/// Says whether the schema's indexes permit a query (spec section 6.3): QUERYABLE for any filter, SORTABLE besides for
/// ranges, and for order, SEARCHABLE for words.
struct IndexRequirements {
    let indexes: TypeIndexes

    /// - Throws: `BAD_REQUEST` that names the field and the index it lacks.
    func check(_ predicate: Predicate, _ sorts: [Sort]) throws(CloudError) {
        if predicate == .always { try need(.queryable, .system(.recordName)) }
        try check(predicate)
        for sort in sorts { try need(.sortable, sort.field) }
    }

    private func check(_ predicate: Predicate) throws(CloudError) {
        switch predicate {
        case .always: break
        case .all(let parts), .any(let parts): for part in parts { try check(part) }
        case .not(let part): try check(part)
        case .comparison(let comparison):
            switch comparison.relation {
            case .containsAllTokens, .containsAnyTokens: try need(.searchable, comparison.field)
            case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals:
                try need(.queryable, comparison.field)
                try need(.sortable, comparison.field)
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
