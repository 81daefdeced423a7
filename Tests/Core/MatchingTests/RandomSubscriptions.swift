import CloudModel
import TestSupport

@testable import Matching

/// Subscriptions and changes for the index: every relation, values that are hard to compare, tenancies that overlap.
struct RandomSubscriptions {
    var random: SeededGenerator

    private static let fields = ["a", "b", "c"]
    private static let texts = [
        "", "a", "A", "ab", "aB", "abc", "ABC d", "b", "é", "e\u{301}", "É", "ß", "SS", "ﬀ", "ı", "İ", "i", "\u{301}",
        "한", "word other word", "The Word", "x*y", "?", "\\*", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
        "abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz",
    ]
    private static let patterns = [
        "", "*", "?", "a*", "*b", "a?", "*a*b*", "??", "*é", "É*", "\\*", "x\\*y", "*a\\", "*word*", "S?", "*ß", "**",
    ]
    private static let integers: [Int64] = [
        .min, .min + 1, -9_007_199_254_740_993, -(1 << 46) - 1, -(1 << 46), -2, -1, 0, 1, 2, 3, 4, 5, 8, 100, 1000,
        1 << 31, 1 << 46, (1 << 46) + 1, 9_007_199_254_740_992, 9_007_199_254_740_993, .max - 1, .max,
    ]
    private static let doubles: [Double] = [
        .nan, .signalingNaN, -0.0, 0, 0.5, 1, 1.0000152587890625, 2, 2.5, 3, 100.25, -1, -1.5, 0x1p46, 0x1p46 + 0.5,
        0x1p53, 0x1p63, -0x1p63, -0x1.8p63, 1e300, -1e300, .infinity, -.infinity, .leastNonzeroMagnitude,
    ]
    private static let places: [(Double, Double)] = [
        (0, 0), (0, -0.0), (90, 0), (-90, 12), (89.999, 170), (0, 180), (0, -180), (0.001, 0.001), (52.5, 13.4),
        (52.51, 13.41), (48.1, 11.6), (400, 700), (.nan, 0), (0, .infinity),
    ]
    private static let users = ["a", "b", "c"].map(UserRecordName.sample)
    private static let types = ["T", "U"].map { RecordType(trusted: $0) }
    private static let zones = ["_defaultZone", "z"].map { ZoneName(trusted: $0) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random)! }
    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func options() -> Predicate.StringOptions { Predicate.StringOptions(rawValue: UInt32(below(4))) }

    private mutating func location() -> Location {
        let place = pick(Self.places)
        return Location(latitude: place.0, longitude: place.1, altitude: below(2) == 0 ? nil : 3)
    }

    private mutating func single() -> FieldValue {
        switch below(8) {
        case 0, 1: .string(pick(Self.texts))
        case 2, 3: .int64(pick(Self.integers))
        case 4: .double(pick(Self.doubles))
        case 5: .timestamp(Timestamp(milliseconds: pick(Self.integers)))
        case 6:
            Fixtures.reference(
                pick(["r", "R", "s", ""]),
                zone: pick([nil, zone(), ZoneID(name: pick(Self.zones), owner: .defaultOwner)]))
        default: below(8) == 0 ? .bytes([1]) : .location(location())
        }
    }

    private mutating func value() -> FieldValue {
        guard below(4) == 0 else { return single() }
        let members = (0..<below(4)).map { _ in below(2) == 0 ? .string(pick(Self.texts)) : single() }
        guard let first = members.first else { return .list([], of: .string) }
        return .list(members.filter { $0.type == first.type }, of: first.type)
    }

    private mutating func zone() -> ZoneID { ZoneID(name: pick(Self.zones), owner: pick(Self.users)) }

    private mutating func texts() -> [String] { (0..<below(3)).map { _ in pick(Self.texts) } }

    private mutating func relation() -> Predicate.Relation {
        switch below(24) {
        case 0: .exists
        case 1, 2, 3: .equals(value(), options())
        case 4: .isIn((0..<below(6)).map { _ in value() }, options())
        case 5, 6: .lessThan(value())
        case 7: .lessThanOrEquals(value())
        case 8, 9: .greaterThan(value())
        case 10: .greaterThanOrEquals(value())
        case 11: .beginsWith(pick(Self.texts), options())
        case 12: .endsWith(pick(Self.texts), options())
        case 13, 14: .containsText(pick(Self.texts), options())
        case 15: .like(TextPattern(pick(Self.patterns)), options())
        case 16, 17: .listContains(value(), options())
        case 18: .listContainsAny((0..<below(4)).map { _ in single() }, options())
        case 19: .listContainsAll((0..<below(4)).map { _ in single() }, options())
        case 20: .listMemberBeginsWith(pick(Self.texts), options())
        case 21:
            .near(
                location(), metres: pick([0, 100, 2000, 600_000, 5_000_000, 9_000_000, 2.1e7, .infinity, .nan, -1]),
                isInclusive: below(2) == 0)
        case 22: .containsAllTokens(texts())
        default: .containsAnyTokens(texts())
        }
    }

    private mutating func comparison() -> Predicate {
        if below(12) == 0 {
            let relation = relation()
            return .comparison(.init(field: .searchableTexts, relation: relation))
        }
        if below(8) == 0 { return .comparison(.init(field: .system(pick(SystemField.allCases)), relation: system())) }
        return Fixtures.comparison(pick(Self.fields), relation())
    }

    private mutating func system() -> Predicate.Relation {
        switch below(6) {
        case 0:
            .equals(.string(pick(["r", "R", Self.users[0].rawValue, Self.users[0].rawValue.uppercased()])), options())
        case 1: .equals(.timestamp(Timestamp(milliseconds: Int64(below(4)))), options())
        case 2: .greaterThan(.int64(Int64(below(4))))
        case 3: .isIn([.string("r"), .string("s"), .string(Self.users[1].rawValue)], options())
        case 4: .exists
        default: relation()
        }
    }

    mutating func predicate(depth: Int = 3) -> Predicate {
        switch below(depth > 0 ? 12 : 6) {
        case 6: return .not(predicate(depth: depth - 1))
        case 7, 8, 9: return .all((0..<below(5)).map { _ in predicate(depth: depth - 1) })
        case 10: return .any((0..<below(4)).map { _ in predicate(depth: depth - 1) })
        case 11 where below(4) == 0: return pick([.always, .never])
        case 5:
            // A closed interval, as most ranges are.
            let field = pick(Self.fields)
            let low = Int64(below(200)) - 50
            return .all([
                Fixtures.comparison(field, .greaterThanOrEquals(.int64(low))),
                Fixtures.comparison(field, .lessThan(.double(Double(low) + Double(below(40)) / 4))),
            ])
        default: return comparison()
        }
    }

    private mutating func condition() -> Subscription.Condition {
        switch below(10) {
        case 0: .zone(pick(Self.zones), recordType: below(2) == 0 ? pick(Self.types) : nil)
        case 1: .database(recordType: below(2) == 0 ? pick(Self.types) : nil)
        default:
            Subscription.Condition(
                query: Query(
                    recordType: pick(Self.types), filters: [],
                    written: WrittenPredicate(text: "", argumentsJSON: nil, tree: predicate())),
                zone: below(3) == 0 ? pick(Self.zones) : nil, firesOn: events(), firesOnce: false,
                changedKeys: below(6) == 0 ? [FieldName(trusted: pick(Self.fields))] : [])
        }
    }

    private mutating func events() -> FiringEvents {
        let extra = below(3) == 0 ? 16 * below(4) : 0
        return FiringEvents(rawValue: UInt32((extra > 0 ? below(8) : 1 + below(7)) | extra))
    }

    mutating func subscription(_ number: Int) -> Subscription {
        Subscription(
            key: SubscriptionKey(
                user: pick(Self.users), database: pick(DatabaseScope.allCases),
                id: SubscriptionID(trusted: "s\(number)")),
            condition: condition(), notificationInfo: NotificationInfo())
    }

    private mutating func record(_ database: DatabaseScope) -> Record {
        var fields: [String: FieldValue] = [:]
        for name in Self.fields + ["unknown"] where below(5) > 0 { fields[name] = below(3) == 0 ? small() : value() }
        let zone = database == .public ? ZoneID.publicDefault : zone()
        var record = Fixtures.record(
            fields, name: pick(["r", "R", "s"]), type: pick(Self.types).rawValue, zone: zone,
            created: Int64(below(4)), modified: Int64(below(4)))
        record.created.user = pick(Self.users)
        record.modified.user = pick(Self.users)
        return record
    }

    private mutating func small() -> FieldValue {
        below(2) == 0 ? .int64(Int64(below(200)) - 50) : .double(Double(below(800)) / 4 - 50)
    }

    mutating func change(_ number: Int) -> Change {
        let database = pick([DatabaseScope.public, .public, .private, .shared])
        let kind = pick([Change.Kind.created, .updated, .deleted])
        let isOfZone = below(20) == 0
        let after = kind == .deleted || isOfZone ? nil : record(database)
        var before = kind == .created || isOfZone ? nil : record(database)
        if let after {
            before?.type = after.type
            before?.name = after.name
            before?.zone = after.zone
            if below(2) == 0, let fields = before?.fields { before?.fields = fields }
        }
        return Change(
            sequence: CommitSequence(Int64(number) + 1), lastSubscription: .zero, database: database, kind: kind,
            before: before, after: after, committed: Timestamp(milliseconds: 1),
            origin: Origin(user: pick(Self.users), device: nil, epoch: nil), zone: isOfZone ? zone() : nil,
            participants: Self.users.filter { _ in below(2) == 0 },
            reader: pick([.world, .icloud, .creator, nil]))
    }
}
