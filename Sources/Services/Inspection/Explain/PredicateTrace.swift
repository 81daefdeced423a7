import CloudModel
import JSON

/// The nodes of a predicate with the values of a record. Texts of users are JSON strings, so that they cannot control
/// an operator's terminal.
struct PredicateTrace {
    private(set) var details: [Explanation.Detail] = []
    private let hasValues: Bool

    /// Writes the outcomes of a predicate for a record.
    /// - Parameter hasValues: false leaves out the values of the record and of the predicate.
    init(_ node: PredicateOutcome, hasValues: Bool = true) {
        self.hasValues = hasValues
        add(node, 0)
    }

    private mutating func add(_ node: PredicateOutcome, _ depth: Int) {
        let text =
            switch node.kind {
            case .always: "every record"
            case .all: "all of"
            case .any: "any of"
            case .not: "not"
            case .comparison: node.comparison.map { self.text($0, node.value) } ?? ""
            }
        details.append(Explanation.Detail(depth: depth, outcome: node.holds ? .yes : .no, text: text))
        for part in node.parts { add(part, depth + 1) }
    }

    private func text(_ comparison: Predicate.Comparison, _ value: FieldValue?) -> String {
        var found = "no such field"
        if case .searchableTexts = comparison.field {
            found = "its texts"
        } else if let value {
            found = hasValues ? Self.shown(value) : "the field"
        }
        guard hasValues else { return "\(comparison.field) is compared: the record has \(found)" }
        return "\(comparison.field) \(Self.text(comparison.relation)): the record has \(found)"
    }

    private static func text(_ relation: Predicate.Relation) -> String {
        switch relation {
        case .exists: "exists"
        case .equals(let value, let options): "equals\(marks(options)) \(shown(value))"
        case .lessThan(let value): "is less than \(shown(value))"
        case .lessThanOrEquals(let value): "is at most \(shown(value))"
        case .greaterThan(let value): "is greater than \(shown(value))"
        case .greaterThanOrEquals(let value): "is at least \(shown(value))"
        case .isIn(let values, let options): "is one of\(marks(options)) \(shown(values))"
        case .beginsWith(let text, let options): "begins with\(marks(options)) \(shown(.string(text)))"
        case .endsWith(let text, let options): "ends with\(marks(options)) \(shown(.string(text)))"
        case .containsText(let text, let options): "contains\(marks(options)) \(shown(.string(text)))"
        case .like(let pattern, let options): "is like\(marks(options)) \(shown(.string(pattern.text)))"
        case .listContains(let value, let options): "contains\(marks(options)) \(shown(value))"
        case .listContainsAny(let values, let options): "contains one of\(marks(options)) \(shown(values))"
        case .listContainsAll(let values, let options): "contains all of\(marks(options)) \(shown(values))"
        case .listMemberBeginsWith(let text, let options):
            "has a member that begins with\(marks(options)) \(shown(.string(text)))"
        case .near(let place, let metres, let isInclusive):
            "is \(isInclusive ? "at most" : "less than") \(metres) m from \(shown(.location(place)))"
        case .containsAllTokens(let words): "has all words of \(shown(words.map { .string($0) }))"
        case .containsAnyTokens(let words): "has a word of \(shown(words.map { .string($0) }))"
        }
    }

    private static func marks(_ options: Predicate.StringOptions) -> String {
        let letters =
            (options.contains(.caseInsensitive) ? "c" : "") + (options.contains(.diacriticInsensitive) ? "d" : "")
        return letters.isEmpty ? "" : "[\(letters)]"
    }

    private static func shown(_ values: [FieldValue]) -> String {
        "[\(values.map { shown($0) }.joined(separator: ", "))]"
    }

    private static func shown(_ value: FieldValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .timestamp(let time): time.iso8601
        case .reference(let reference): "a reference to \(quoted(reference.recordName.rawValue))"
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .location(let place): "(\(place.latitude), \(place.longitude))"
        case .asset: "an asset"
        case .list(let values, _): shown(values)
        case .encrypted: "an encrypted value"
        }
    }

    /// A text as JSON, long ones cut.
    static func quoted(_ text: String) -> String {
        let bytes = try? JSONValue.string(text.cut(to: 80)).serialized()
        return String(decoding: bytes ?? [], as: UTF8.self)
    }
}
