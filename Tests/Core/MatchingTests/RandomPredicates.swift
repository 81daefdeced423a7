import CloudModel
import TestSupport

/// Predicates and records made at random from few fields and few values, so that they meet.
struct RandomPredicates {
    var random: SeededGenerator

    private static let fields = ["a", "b", "c"]
    private static let strings = ["", "a", "A", "ab", "aB", "AB", "b", "abc", "[", "_", "%", "é"]
    private static let patterns = ["", "*", "?", "a*", "*b", "a?", "*a*b*", "??", "A?c", "[", "%", "*é", "_*"]
    private static let integers: [Int64] = [
        .min, .min + 1, -9_007_199_254_740_993, -2, -1, 0, 1, 2, 9_007_199_254_740_992, 9_007_199_254_740_993,
        9_007_199_254_740_995, .max - 1, .max,
    ]
    private static let doubles: [Double] = [
        -0x1p63, -0x1.8p63, -1.5, -1, -0.0, 0, 0.5, 1, 2, 0x1p53, 0x1p53 + 2, 0x1p63, 0x1.fffffffffffffp62, 1e300,
        -1e300, .infinity, -.infinity, .leastNonzeroMagnitude,
    ]

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random)! }

    mutating func value() -> FieldValue {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .string(pick(Self.strings))
        case 1: .int64(pick(Self.integers))
        case 2: .double(pick(Self.doubles))
        case 3: Fixtures.time(pick(Self.integers))
        case 4: Fixtures.reference(pick(["r", "R", "s"]), zone: pick([nil, .publicDefault, Self.otherZone]))
        default: .stringList((0..<Int.random(in: 0..<3, using: &random)).map { _ in pick(Self.strings) })
        }
    }

    private mutating func operands() -> [FieldValue] {
        (0..<Int.random(in: 0..<3, using: &random)).map { _ in .string(pick(Self.strings)) }
    }

    mutating func record(_ number: Int) -> Record {
        var fields: [String: FieldValue] = [:]
        for name in Self.fields where Int.random(in: 0..<4, using: &random) > 0 { fields[name] = value() }
        return Fixtures.record(
            fields, name: pick(["r", "R", "s"]) + "\(number)", zone: pick([.publicDefault, Self.otherZone]),
            created: Int64.random(in: 0..<4, using: &random), modified: Int64.random(in: 0..<4, using: &random))
    }

    mutating func predicate(depth: Int = 3) -> Predicate {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 5), using: &random) {
        case 5: .not(predicate(depth: depth - 1))
        case 6: .all((0..<Int.random(in: 0..<4, using: &random)).map { _ in predicate(depth: depth - 1) })
        case 7: .always
        case 8, 9: .any((0..<Int.random(in: 0..<4, using: &random)).map { _ in predicate(depth: depth - 1) })
        default: .comparison(comparison())
        }
    }

    private mutating func comparison() -> Predicate.Comparison {
        if Int.random(in: 0..<6, using: &random) == 0 { return systemComparison() }
        return Predicate.Comparison(field: .field(FieldName(trusted: pick(Self.fields))), relation: relation())
    }

    private mutating func relation() -> Predicate.Relation {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: .lessThan(value())
        case 1: .lessThanOrEquals(value())
        case 2: .greaterThan(value())
        case 3: .greaterThanOrEquals(value())
        case 4: .isIn((0..<Int.random(in: 0..<4, using: &random)).map { _ in value() })
        case 5: .beginsWith(pick(Self.strings))
        case 6: .listContains(.string(pick(Self.strings)))
        case 7: .like(TextPattern(pick(Self.patterns)), pick([[], .caseInsensitive]))
        case 8: .containsText(pick(Self.strings), pick([[], .caseInsensitive]))
        case 9: .endsWith(pick(Self.strings), pick([[], .caseInsensitive]))
        case 10: .listContainsAny(operands(), pick([[], .caseInsensitive]))
        case 11: .listContainsAll(operands(), pick([[], .caseInsensitive]))
        case 12: .listMemberBeginsWith(pick(Self.strings), pick([[], .caseInsensitive]))
        case 13:
            pick([.exists, .equals(.string(pick(Self.strings)), []), .beginsWith(pick(Self.strings), .caseInsensitive)])
        default: .equals(value())
        }
    }

    /// A tree as the parser makes it when it knows no types: with every relation but `CONTAINS` on a text, which needs
    /// the field's type, with compounds of two parts or more, and with equality that overlooks case.
    mutating func anyPredicate(depth: Int = 4) -> Predicate {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 5: pick([.always, .never])
        case 6: .not(anyPredicate(depth: depth - 1))
        case 7: .all((0..<Int.random(in: 2..<4, using: &random)).map { _ in anyPredicate(depth: depth - 1) })
        case 8: .any((0..<Int.random(in: 2..<4, using: &random)).map { _ in anyPredicate(depth: depth - 1) })
        default: .comparison(anyComparison())
        }
    }

    private mutating func anyComparison() -> Predicate.Comparison {
        let text = pick(Self.strings + ["it's \\ \n \"x\""])
        let exact: Predicate.StringOptions = pick([
            [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        ])
        let equal = exact.union(.caseInsensitive)
        let place = Location(latitude: 52.5, longitude: -13.25, altitude: 3)
        let relations: [Predicate.Relation] = [
            .exists, .equals(single(), equal), .lessThan(ordered()), .lessThanOrEquals(ordered()),
            .greaterThan(ordered()),
            .greaterThanOrEquals(ordered()), .isIn([single(), single()], equal), .beginsWith(text, exact),
            .endsWith(text, exact),
            .like(TextPattern(text), exact), .listContains(single(), equal), .listContainsAny([single()], equal),
            .listContainsAll([single(), single()], equal), .listMemberBeginsWith(text, exact),
            .near(
                place, metres: Double(Int.random(in: 0..<9999, using: &random)) / 8, isInclusive: pick([true, false])),
            .containsAllTokens([text]), .containsAnyTokens([text]),
        ]
        let field = FilterField.field(FieldName(trusted: pick(Self.fields)))
        let relation = pick(relations)
        switch relation {
        case .containsAllTokens, .containsAnyTokens:
            return .init(field: pick([field, .searchableTexts]), relation: relation)
        default: return .init(field: field, relation: relation)
        }
    }

    private mutating func single() -> FieldValue {
        while true {
            let value = value()
            if value.type.elementType == nil { return value }
        }
    }

    private mutating func ordered() -> FieldValue {
        while true {
            let value = single()
            if value.type.traits.isOrdered { return value }
        }
    }

    private mutating func systemComparison() -> Predicate.Comparison {
        let field = pick(SystemField.allCases)
        let operand: FieldValue =
            switch field {
            case .recordName: .string(pick(["r1", "R1", "s2"]))
            case .createdTimestamp, .modifiedTimestamp: Fixtures.time(Int64.random(in: 0..<4, using: &random))
            case .createdUserRecordName, .modifiedUserRecordName:
                .string(pick([Fixtures.alice.rawValue, Fixtures.bob.rawValue, Fixtures.alice.rawValue.uppercased()]))
            }
        return Predicate.Comparison(
            field: .system(field), relation: pick([.equals(operand), .lessThan(operand), .isIn([operand])]))
    }

    static let otherZone = ZoneID(name: .defaultZone, owner: Fixtures.bob)
}
