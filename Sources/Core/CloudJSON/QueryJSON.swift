package import CloudModel
package import JSON

/// Queries as JSON: a record type, `filterBy`, `predicate` with `predicateArguments`, and `sortBy`.
package enum QueryJSON {
    /// Writes a query as a request gives it.
    package static func given(_ query: GivenQuery, sortedBy sorts: [Sort] = []) -> JSONValue {
        var json: JSONObject = ["recordType": .string(query.recordType.rawValue)]
        if !query.filters.isEmpty { json["filterBy"] = .array(query.filters.map(FilterJSON.given)) }
        if let predicate = query.predicate { PredicateJSON.add(predicate, to: &json) }
        if !sorts.isEmpty { json["sortBy"] = .array(sorts.map(sort)) }
        return .object(json)
    }

    /// Writes a saved subscription's query.
    static func query(_ query: Query) -> JSONValue {
        var json: JSONObject = [
            "recordType": .string(query.recordType.rawValue), "filterBy": .array(query.filters.map(FilterJSON.filter)),
        ]
        if let written = query.written {
            PredicateJSON.add(
                GivenPredicate(text: written.text, argumentsJSON: written.argumentsJSON), to: &json)
        }
        return .object(json)
    }

    /// Reads a query but for its order.
    package static func read(_ json: JSONPath) throws(CloudError) -> GivenQuery {
        let type: RecordType = try json.object().required("recordType").identifier()
        return GivenQuery(
            recordType: type, filters: try FilterJSON.readAll(json), predicate: try PredicateJSON.read(json))
    }

    /// Reads `sortBy` of a query; empty when it is absent.
    package static func readSorts(_ json: JSONPath) throws(CloudError) -> [Sort] {
        guard let list = json["sortBy"] else { return [] }
        // As with filters: Apple's JS sends a lone one without its list.
        return list.value.object != nil ? [try readSort(list)] : try list.elements(readSort)
    }

    private static func sort(_ sort: Sort) -> JSONValue {
        var json: JSONObject = ["ascending": .bool(sort.isAscending)]
        FilterJSON.add(sort.field, to: &json)
        if let location = sort.relativeLocation { json["relativeLocation"] = FieldJSON.location(location) }
        return .object(json)
    }

    private static func readSort(_ json: JSONPath) throws(CloudError) -> Sort {
        Sort(
            field: try FilterJSON.readField(try json.object()), isAscending: try json["ascending"]?.bool() ?? true,
            relativeLocation: try json.member("relativeLocation", location))
    }

    /// A location, plain or as a field.
    private static func location(_ json: JSONPath) throws(CloudError) -> Location {
        try FieldJSON.readLocation(json["value"] ?? json)
    }
}
