import CloudModel
import JSON

/// Predicate strings with their arguments as JSON: `predicate` and `predicateArguments` of a query. `Matching` parses
/// the strings.
enum PredicateJSON {
    /// Adds a predicate to its query, the arguments as they were written where that is known.
    static func add(_ predicate: GivenPredicate, to json: inout JSONObject) {
        json["predicate"] = .string(predicate.text)
        if let written = predicate.argumentsJSON {
            // It was written by the reader of the request; a text that is none any more is left out.
            json["predicateArguments"] = try? JSONValue(parsing: Array(written.utf8))
        } else if !predicate.arguments.isEmpty {
            json["predicateArguments"] = .array(predicate.arguments.map(argument))
        }
    }

    /// Reads the predicate string with its arguments; nil when the query has none.
    static func read(_ json: JSONPath) throws(CloudError) -> GivenPredicate? {
        let list = json["predicateArguments"]
        guard let text = json["predicate"] else {
            if let list { throw .badRequest("\(list.path) needs 'predicate', a string with %@ or %K for each of them") }
            return nil
        }
        return GivenPredicate(
            text: try text.string(), arguments: try list?.elements(readArgument) ?? [],
            argumentsJSON: try list.map { list throws(CloudError) in try written(list) })
    }

    private static func argument(_ argument: GivenPredicate.Argument) -> JSONValue {
        switch argument {
        case .value(let value): FieldJSON().given(value)
        case .null: .null
        }
    }

    /// A value as a CloudKit field, or as plain JSON.
    private static func readArgument(_ json: JSONPath) throws(CloudError) -> GivenPredicate.Argument {
        if json.value.isNull { return .null }
        guard json.value.object != nil, json.value["value"] != nil else {
            return .value(try FieldJSON.readGiven(json, nil, isFilter: true))
        }
        guard let value = json["value"] else { return .null }
        return .value(try FieldJSON.readGiven(value, try FieldJSON.comparedType(json), isFilter: true))
    }

    private static func written(_ json: JSONPath) throws(CloudError) -> String {
        do {
            return String(decoding: try json.value.serialized(), as: UTF8.self)
        } catch {
            throw .badRequest("\(json.path) cannot be kept: \(error)")
        }
    }
}
