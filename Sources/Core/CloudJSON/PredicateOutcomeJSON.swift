package import CloudModel
package import JSON

/// The nodes of a predicate with their outcomes for a record, as JSON. Only people read it.
package struct PredicateOutcomeJSON: Sendable {
    /// Bytes of a value that is written; longer ones are cut and marked.
    package static let valueBytesMax = 1024

    private let fields: FieldJSON
    private let hasValues: Bool

    /// - Parameter hasValues: false leaves out the values of the record and of the predicate.
    package init(numbersAsStrings: Bool = false, hasValues: Bool = true) {
        fields = FieldJSON(numbersAsStrings: numbersAsStrings)
        self.hasValues = hasValues
    }

    /// Writes a node with those below it.
    package func node(_ node: PredicateOutcome) -> JSONValue {
        var json: JSONObject = ["node": .string(node.kind.rawValue), "holds": .bool(node.holds)]
        if node.decides { json["decides"] = true }
        if let comparison = node.comparison {
            add(comparison, to: &json)
            if case .searchableTexts = comparison.field {
                // It has no one value.
            } else if let value = node.value {
                if hasValues { json["value"] = field(value) }
            } else {
                json["isMissing"] = true
            }
        }
        if !node.parts.isEmpty { json["parts"] = .array(node.parts.map(self.node)) }
        return .object(json)
    }

    /// Writes a comparison.
    package func comparison(_ comparison: Predicate.Comparison) -> JSONValue {
        var json = JSONObject()
        add(comparison, to: &json)
        return .object(json)
    }

    private func add(_ comparison: Predicate.Comparison, to json: inout JSONObject) {
        FilterJSON.add(comparison.field, to: &json)
        let written = Self.written(comparison.relation)
        json["relation"] = .string(written.name)
        let ignored =
            (written.options.contains(.caseInsensitive) ? "c" : "")
            + (written.options.contains(.diacriticInsensitive) ? "d" : "")
        if !ignored.isEmpty { json["ignores"] = .string(ignored) }
        guard hasValues else { return }
        if let operand = written.operand { json["operand"] = field(operand) }
        if case .near(_, let metres, let isInclusive) = comparison.relation {
            json["distance"] = .double(metres)
            json["isInclusive"] = .bool(isInclusive)
        }
    }

    /// A value as a field, cut and marked if it is long; of an encrypted one the type alone.
    package func field(_ value: FieldValue) -> JSONValue {
        if case .encrypted = value { return ["type": .string(FieldJSON.typeName(value)), "isEncrypted": true] }
        guard let cut = value.cut(to: Self.valueBytesMax) else { return fields.field(value) }
        var json = fields.field(cut.value).object ?? JSONObject()
        json["cut"] = FieldJSON.mark(cut.mark)
        return .object(json)
    }

    private struct Written {
        var name: String
        var operand: FieldValue?
        var options: Predicate.StringOptions = []
    }

    private static func written(_ relation: Predicate.Relation) -> Written {
        switch relation {
        case .exists: Written(name: "EXISTS")
        case .equals(let value, let options): Written(name: "EQUALS", operand: value, options: options)
        case .lessThan(let value): Written(name: "LESS_THAN", operand: value)
        case .lessThanOrEquals(let value): Written(name: "LESS_THAN_OR_EQUALS", operand: value)
        case .greaterThan(let value): Written(name: "GREATER_THAN", operand: value)
        case .greaterThanOrEquals(let value): Written(name: "GREATER_THAN_OR_EQUALS", operand: value)
        case .isIn(let values, let options): Written(name: "IN", operand: list(values), options: options)
        case .beginsWith(let text, let options):
            Written(name: "BEGINS_WITH", operand: .string(text), options: options)
        case .endsWith(let text, let options): Written(name: "ENDS_WITH", operand: .string(text), options: options)
        case .containsText(let text, let options): Written(name: "CONTAINS", operand: .string(text), options: options)
        case .like(let pattern, let options): Written(name: "LIKE", operand: .string(pattern.text), options: options)
        case .listContains(let value, let options): Written(name: "LIST_CONTAINS", operand: value, options: options)
        case .listContainsAny(let values, let options):
            Written(name: "LIST_CONTAINS_ANY", operand: list(values), options: options)
        case .listContainsAll(let values, let options):
            Written(name: "LIST_CONTAINS_ALL", operand: list(values), options: options)
        case .listMemberBeginsWith(let text, let options):
            Written(name: "LIST_MEMBER_BEGINS_WITH", operand: .string(text), options: options)
        case .near(let place, _, _): Written(name: "NEAR", operand: .location(place))
        case .containsAllTokens(let texts): Written(name: "CONTAINS_ALL_TOKENS", operand: .stringList(texts))
        case .containsAnyTokens(let texts): Written(name: "CONTAINS_ANY_TOKENS", operand: .stringList(texts))
        }
    }

    private static func list(_ values: [FieldValue]) -> FieldValue { .list(values, of: values.first?.type ?? .string) }
}
