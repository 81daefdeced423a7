import CloudModel
import Matching
import RecordStore
import TestSupport

@testable import RecordService

/// Records that a test saved, asked by walking over all of them: what queries must agree with.
struct QueryModel {
    /// In the order of their creation.
    private(set) var records: [Record] = []

    mutating func save(_ record: Record) {
        if let index = records.firstIndex(where: { $0.name == record.name && $0.zone == record.zone }) {
            records[index] = record
        } else {
            records.append(record)
        }
    }

    mutating func delete(_ name: RecordName) { records.removeAll { $0.name == name } }

    /// Names of the results in their order.
    func results(_ type: String, _ predicate: Predicate, _ sorts: [Sort]) -> [String] {
        let found = records.filter { $0.type.rawValue == type && predicate.holds(for: $0) }
        let ascending = sorts.first?.isAscending ?? true
        let numbered = (ascending ? found : found.reversed()).map { record in (record, sorts.map { key($0, record) }) }
        // Swift's sort is stable, so that equals stay in the order of creation.
        return numbered.sorted { isBefore($0.1, $1.1, sorts) }.map(\.0.name.rawValue)
    }

    private func key(_ sort: Sort, _ record: Record) -> FieldValue? {
        guard let value = record.value(of: sort.field) else { return nil }
        guard let centre = sort.relativeLocation else { return value }
        guard case .location(let place) = value else { return nil }
        return .double(place.distance(to: centre))
    }

    private func isBefore(_ left: [FieldValue?], _ right: [FieldValue?], _ sorts: [Sort]) -> Bool {
        for (index, sort) in sorts.enumerated() {
            guard let a = left[index] else {
                if right[index] != nil { return false }
                continue
            }
            guard let b = right[index] else { return true }
            switch ValueOrdering.compare(a, b) {
            case .less: return sort.isAscending
            case .greater: return !sort.isAscending
            default: continue
            }
        }
        return false
    }
}

/// Random values, predicates and orders over the fields of one type, chosen so that they often meet.
struct QueryGenerator {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    static let long = String(repeating: "long ", count: 60)
    static let texts = [
        "", "a", "A", "b", "ab", "Ab", "aB c", "straße", "STRASSE", "É", "é", "e\u{301}", "zoë the cat", "cat",
        "\u{10ffff}", "a\u{0}b",
        "\u{d7ff}x", "\u{d7ff}", long + "x", long + "y", long, "Long", "dog and Cat", "日本", "the",
    ]
    static let places = [
        (0.0, 0.0), (0, 179.99), (0, -179.99), (89.99, 10), (-90, 0), (52.52, 13.405), (52.53, 13.41), (48.85, 2.35),
        (52.5, -179.95), (90, 77),
    ].map { Location(latitude: $0.0, longitude: $0.1) }
    static let numbers: [Int64] = [0, 1, -1, 2, 7, 1 << 53, (1 << 53) + 1, .max, .min]
    static let reals = [0.0, -0.0, 0.5, 1, 7, 0x1p53, -1e300, 1e300, 0x1p63, .leastNonzeroMagnitude]

    static let types: [(name: String, type: FieldType)] = [
        ("s", .string), ("u", .string), ("i", .int64), ("d", .double), ("t", .timestamp), ("r", .reference),
        ("l", .location), ("sl", .stringList), ("il", .int64List), ("rl", .referenceList), ("y", .bytes),
    ]

    mutating func pick<T>(_ from: [T]) -> T { from.randomElement(using: &random)! }
    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    mutating func flip() -> Bool { Bool.random(using: &random) }

    mutating func value(_ type: FieldType) -> FieldValue {
        switch type {
        case .string: .string(pick(Self.texts))
        case .int64: .int64(pick(Self.numbers))
        case .double: .double(pick(Self.reals))
        case .timestamp: .timestamp(Timestamp(milliseconds: pick([0, 1, 5, 1_700_000_000_000])))
        case .reference: .reference(Reference(recordName: RecordName(trusted: pick(["a", "b", "c"])), action: .none))
        case .bytes: .bytes([1])
        case .location: .location(pick(Self.places))
        case .asset: .asset(Asset(fileChecksum: "x", size: 1))
        default: .list((0..<below(3)).map { _ in value(type.elementType!) }, of: type.elementType!)
        }
    }

    mutating func fields() -> [String: FieldValue?] {
        var fields: [String: FieldValue?] = [:]
        for (name, type) in Self.types where below(4) > 0 { fields[name] = .some(value(type)) }
        return fields
    }

    mutating func sorts() -> [Sort] {
        (0..<pick([0, 0, 1, 1, 1, 2, 3])).map { _ in
            switch below(8) {
            case 0:
                return Sort(
                    field: .field(FieldName(trusted: "l")), isAscending: flip(), relativeLocation: pick(Self.places))
            case 1: return Sort(field: .system(pick(SystemField.allCases)), isAscending: flip())
            default:
                return Sort(field: .field(FieldName(trusted: pick(["s", "u", "i", "d", "t"]))), isAscending: flip())
            }
        }
    }

    mutating func predicate(depth: Int = 0) -> Predicate {
        switch below(depth > 2 ? 8 : 13) {
        case 0: depth == 0 ? .always : .comparison(comparison())
        case 1...7: .comparison(comparison())
        case 8, 9: .all((0..<below(4)).map { _ in predicate(depth: depth + 1) })
        case 10: .any((0..<below(3)).map { _ in predicate(depth: depth + 1) })
        default: .not(predicate(depth: depth + 1))
        }
    }

    private mutating func comparison() -> Predicate.Comparison {
        switch below(12) {
        case 0: return system()
        case 1:
            let words = [pick(Self.texts), pick(Self.texts)]
            let field: FilterField = flip() ? .searchableTexts : .field(FieldName(trusted: pick(["s", "u", "sl"])))
            return .init(field: field, relation: flip() ? .containsAllTokens(words) : .containsAnyTokens(words))
        default:
            let (name, type) = pick(Self.types.filter { $0.type.traits.isComparable })
            return .init(field: .field(FieldName(trusted: name)), relation: relation(type))
        }
    }

    private mutating func options() -> Predicate.StringOptions {
        pick([[], .caseInsensitive, .caseInsensitive, .diacriticInsensitive])
    }

    private mutating func relation(_ type: FieldType) -> Predicate.Relation {
        if let element = type.elementType {
            switch below(4) {
            case 0: return .listContains(value(element), options())
            case 1: return .listContainsAny([value(element), value(element)], options())
            case 2: return .listContainsAll([value(element), value(element)], options())
            default: return element == .string ? .listMemberBeginsWith(pick(Self.texts), options()) : .exists
            }
        }
        switch below(type == .location || type == .reference ? 4 : 9) {
        case 0: return .exists
        case 1: return .equals(value(type), options())
        case 2: return .isIn((0..<below(4)).map { _ in value(type) }, options())
        case 3 where type == .location:
            return .near(pick(Self.places), metres: pick([0, 1, 2000, 30_000, 5e6, 1e8]), isInclusive: flip())
        case 3, 4: return type == .string ? .beginsWith(pick(Self.texts), options()) : .equals(value(type), [])
        case 5: return .lessThan(ordered(type))
        case 6: return .lessThanOrEquals(ordered(type))
        case 7: return .greaterThan(ordered(type))
        default: return .greaterThanOrEquals(ordered(type))
        }
    }

    private mutating func ordered(_ type: FieldType) -> FieldValue {
        type.traits.isOrdered ? value(type) : value(.int64)
    }

    private mutating func system() -> Predicate.Comparison {
        let field = pick(SystemField.allCases)
        let value: FieldValue =
            field.type == .timestamp
            ? .timestamp(Timestamp(milliseconds: 1_700_000_000_000 + Int64(below(40)) * 1000))
            : .string(
                field == .recordName ? "r\(below(60))" : pick(["_" + String(repeating: "a", count: 32), "_", "x"]))
        switch below(5) {
        case 0: return .init(field: .system(field), relation: .lessThan(value))
        case 1: return .init(field: .system(field), relation: .greaterThanOrEquals(value))
        case 2: return .init(field: .system(field), relation: .isIn([value, value], .caseInsensitive))
        default: return .init(field: .system(field), relation: .equals(value, .caseInsensitive))
        }
    }
}
