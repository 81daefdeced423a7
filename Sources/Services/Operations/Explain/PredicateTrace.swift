import CloudModel
import JSON
import Matching

/// The nodes of a predicate with the values of a record. Texts of users are JSON strings, so that they cannot control
/// an operator's terminal.
struct PredicateTrace {
    private(set) var details: [Explanation.Detail] = []

    /// Traces a predicate on a record.
    init(_ predicate: Predicate, on record: Record) { add(predicate, record, 0) }

    private mutating func add(_ predicate: Predicate, _ record: Record, _ depth: Int) {
        var parts: [Predicate] = []
        let text: String
        switch predicate {
        case .always: text = "every record"
        case .all(let all): (text, parts) = ("all of", all)
        case .any(let any): (text, parts) = ("any of", any)
        case .not(let part): (text, parts) = ("not", [part])
        case .comparison(let comparison): text = Self.text(comparison, record)
        }
        details.append(
            Explanation.Detail(depth: depth, outcome: predicate.holds(for: record) ? .yes : .no, text: text))
        for part in parts { add(part, record, depth + 1) }
    }

    private static func text(_ comparison: Predicate.Comparison, _ record: Record) -> String {
        let value: String
        if case .searchableTexts = comparison.field {
            value = "its texts"
        } else {
            value = record.value(of: comparison.field).map { shown($0) } ?? "no such field"
        }
        return "\(comparison.field) \(text(comparison.relation)): the record has \(value)"
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
