import CloudModel
import JSON

/// Reads `query`: a record type, `filterBy`, `predicate` with `predicateArguments`, and `sortBy`.
enum QueryDecoding {
    /// All but the order.
    static func query(_ json: JSONPath) throws(CloudError) -> GivenQuery {
        let type: RecordType = try json.object().required("recordType").identifier()
        return GivenQuery(
            recordType: type, filters: try FilterDecoding.filters(json),
            predicate: try PredicateDecoding.predicate(json))
    }

    /// `sortBy` of a query; empty when it is absent.
    static func sort(_ json: JSONPath) throws(CloudError) -> [Sort] {
        guard let list = json["sortBy"] else { return [] }
        // As with filters: Apple's JS sends a lone one without its list.
        let elements = list.value.object != nil ? [list] : try list.elements()
        var sorts: [Sort] = []
        for element in elements {
            sorts.append(
                Sort(
                    field: try FilterDecoding.field(try element.object()),
                    isAscending: try element["ascending"]?.bool() ?? true,
                    relativeLocation: try element["relativeLocation"].map { place throws(CloudError) in
                        try location(place)
                    }))
        }
        return sorts
    }

    /// A location, plain or as a field.
    private static func location(_ json: JSONPath) throws(CloudError) -> Location {
        guard let value = json["value"] else { return try FieldDecoding.location(json) }
        return try FieldDecoding.location(value)
    }
}
