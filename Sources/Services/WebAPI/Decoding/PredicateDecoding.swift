import CloudModel
import JSON

/// Reads `predicate` and `predicateArguments` of a query. What the string says is read in `Matching`.
enum PredicateDecoding {
    /// The predicate string with its arguments; nil when the query has none.
    static func predicate(_ json: JSONPath) throws(CloudError) -> GivenPredicate? {
        let list = json["predicateArguments"]
        guard let text = json["predicate"] else {
            if let list { throw .badRequest("\(list.path) needs 'predicate', a string with %@ or %K for each of them") }
            return nil
        }
        var arguments: [GivenPredicate.Argument] = []
        for element in try list?.elements() ?? [] { arguments.append(try argument(element)) }
        return GivenPredicate(
            text: try text.string(), arguments: arguments,
            argumentsJSON: try list.map { list throws(CloudError) in try written(list) })
    }

    /// A value as a CloudKit field, or as plain JSON.
    private static func argument(_ json: JSONPath) throws(CloudError) -> GivenPredicate.Argument {
        if json.value.isNull { return .null }
        guard json.value.object != nil, json.value["value"] != nil else {
            return .value(try FieldDecoding.given(json, nil, isFilter: true))
        }
        guard let value = json["value"] else { return .null }
        return .value(try FieldDecoding.given(value, try FieldDecoding.explicitType(json), isFilter: true))
    }

    private static func written(_ json: JSONPath) throws(CloudError) -> String {
        do {
            return String(decoding: try json.value.serialized(), as: UTF8.self)
        } catch {
            throw .badRequest("\(json.path) cannot be kept: \(error)")
        }
    }
}
