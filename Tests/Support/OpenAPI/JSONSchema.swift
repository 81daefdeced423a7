import Foundation
package import JSON

/// Checks JSON against the schemas of one document: the keywords of JSON Schema 2020-12 that `docs/openapi.yaml` uses.
/// One that it does not know is a violation, so that no rule of the document is passed over.
package struct JSONSchema: Sendable {
    private let components: [String: JSONValue]

    /// Takes the schemas that references lead to, by name.
    package init(components: JSONObject) {
        self.components = Dictionary(uniqueKeysWithValues: components.map { ($0.key, $0.value) })
    }

    /// The disagreements of a value; empty if it agrees with the schema.
    /// - Parameter place: the name of the value.
    package func violations(of value: JSONValue, by schema: JSONValue, at place: String) -> [String] {
        if schema == true { return [] }
        if schema == false { return ["\(place) must not be there"] }
        guard let keywords = schema.object else { return ["\(place): its schema is no object"] }
        return keywords.flatMap { keyword, rule in check(value, keyword, rule, keywords, place) }
    }

    private func check(
        _ value: JSONValue, _ keyword: String, _ rule: JSONValue, _ schema: JSONObject, _ place: String
    ) -> [String] {
        switch keyword {
        case "$ref":
            let name = String(rule.string?.split(separator: "/").last ?? "")
            guard let target = components[name] else { return ["\(place): there is no schema \(rule)"] }
            return violations(of: value, by: target, at: place)
        case "description", "default", "format": return []
        case "type", "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum":
            return checkScalar(value, keyword, rule)
                ? [] : ["\(place) is \(Self.short(value)), not of \(keyword) \(Self.short(rule))"]
        case "allOf":
            return (rule.array ?? []).flatMap { violations(of: value, by: $0, at: place) }
        case "anyOf", "oneOf": return checkChoice(value, rule.array ?? [], isOne: keyword == "oneOf", place)
        case "not":
            let isRight = !violations(of: value, by: rule, at: place).isEmpty
            return isRight ? [] : ["\(place) is what it must not be: \(Self.short(rule))"]
        case "items", "minItems", "maxItems": return checkArray(value, keyword, rule, place)
        case "required", "properties", "additionalProperties", "propertyNames":
            return checkObject(value, keyword, rule, schema, place)
        default: return ["\(place): the checker does not know the keyword '\(keyword)': teach it JSONSchema.swift"]
        }
    }

    private func checkScalar(_ value: JSONValue, _ keyword: String, _ rule: JSONValue) -> Bool {
        switch keyword {
        case "type":
            return (rule.array ?? [rule]).contains { Self.isOf($0.string ?? "", value) }
        case "enum": return rule.array?.contains(value) == true
        case "const": return rule == value
        case "pattern": return value.string.map { Self.matches($0, rule.string ?? "") } ?? true
        case "minLength": return value.string.map { $0.unicodeScalars.count >= rule.integer ?? 0 } ?? true
        case "maxLength": return value.string.map { $0.unicodeScalars.count <= rule.integer ?? 0 } ?? true
        default:
            let isMinimum = keyword == "minimum"
            if let number = value.integer, let bound = rule.integer {
                return isMinimum ? number >= bound : number <= bound
            }
            guard let number = value.number, let bound = rule.number else { return true }
            return isMinimum ? number >= bound : number <= bound
        }
    }

    private func checkChoice(_ value: JSONValue, _ choices: [JSONValue], isOne: Bool, _ place: String) -> [String] {
        let results = choices.map { violations(of: value, by: $0, at: place) }
        let matching = results.count { $0.isEmpty }
        if matching == 1 || (matching > 1 && !isOne) { return [] }
        if matching > 1 { return ["\(place) is of \(matching) forms at once: \(Self.short(value))"] }
        // The closest form gives the best message.
        let nearest = results.min { $0.count < $1.count } ?? []
        return ["\(place) is of none of its \(choices.count) forms; the nearest: \(nearest.joined(separator: "; "))"]
    }

    private func checkArray(_ value: JSONValue, _ keyword: String, _ rule: JSONValue, _ place: String) -> [String] {
        guard let elements = value.array else { return [] }
        switch keyword {
        case "items":
            return elements.enumerated().flatMap { violations(of: $1, by: rule, at: "\(place)[\($0)]") }
        case "minItems":
            return elements.count >= rule.integer ?? 0
                ? [] : ["\(place) has \(elements.count) elements, under \(Self.short(rule))"]
        default:
            return elements.count <= rule.integer ?? 0
                ? [] : ["\(place) has \(elements.count) elements, over \(Self.short(rule))"]
        }
    }

    private func checkObject(
        _ value: JSONValue, _ keyword: String, _ rule: JSONValue, _ schema: JSONObject, _ place: String
    ) -> [String] {
        guard let members = value.object else { return [] }
        switch keyword {
        case "required":
            return (rule.array ?? []).compactMap { name in
                members[name.string ?? ""] == nil ? "\(place) lacks \(name)" : nil
            }
        case "properties":
            return (rule.object ?? [:]).flatMap { name, schema -> [String] in
                guard let member = members[name] else { return [] }
                return violations(of: member, by: schema, at: "\(place).\(name)")
            }
        case "propertyNames":
            return members.flatMap { violations(of: .string($0.key), by: rule, at: "the name \($0.key) in \(place)") }
        default:
            let known = schema["properties"]
            return members.filter { known?[$0.key] == nil }
                .flatMap { violations(of: $0.value, by: rule, at: "\(place).\($0.key)") }
        }
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch type {
        case "object": value.object != nil
        case "array": value.array != nil
        case "string": value.string != nil
        // A double that is whole is one.
        case "integer": value.integer != nil || value.number.flatMap { Int64(exactly: $0) } != nil
        case "number": value.number != nil
        case "boolean": value.bool != nil
        case "null": value.isNull
        default: false
        }
    }

    /// Patterns are ECMAScript's, whose `$` is the very end.
    private static func matches(_ text: String, _ pattern: String) -> Bool {
        let native = pattern.hasSuffix("$") ? String(pattern.dropLast()) + "\\z" : pattern
        guard let expression = try? NSRegularExpression(pattern: native) else { return false }
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    private static func short(_ value: JSONValue) -> String {
        String(String(decoding: (try? value.serialized()) ?? [], as: UTF8.self).prefix(100))
    }
}
