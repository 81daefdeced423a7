import CloudModel

/// Makes choices of a fuzzer's bytes; where they end, always the first one.
struct ByteSource {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = Array(bytes)[...] }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func below(_ count: Int) -> Int { Int(bytes.popFirst() ?? 0) % count }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    private static let pieces = [
        "", "a", "A", "b", " ", "ab", "é", "e\u{301}", "É", "ß", "SS", "ﬃ", "ı", "İ", "가", "\u{1100}\u{1161}", "日本",
        "👨‍👩‍👧", "\u{301}", "*", "?", "\\", "the", "word ", "\u{20DD}", "𐐀",
    ]
    private static let users = ["a", "b"].map { UserRecordName(trusted: "_" + String(repeating: $0, count: 32)) }
    private static let zones = ["_defaultZone", "z"].map { ZoneName(trusted: $0) }
    private static let numbers: [Int64] = [
        0, 1, 2, 3, -1, .min, .max, 1 << 31, -(1 << 46), 1 << 46, 9_007_199_254_740_993, 100,
    ]
    private static let doubles: [Double] = [
        0, -0.0, 0.5, 1, 2.5, .nan, .infinity, -.infinity, 0x1p63, -0x1p63, 1e300, .leastNonzeroMagnitude, 0x1p53,
    ]

    mutating func text() -> String {
        var text = ""
        for _ in 0..<below(5) { text += pick(Self.pieces) }
        // Long ones are searched in other ways.
        return below(8) == 1 ? String(repeating: text + pick(Self.pieces), count: 20 + below(40)) : text
    }

    private mutating func name() -> FieldName {
        FieldName(trusted: below(8) == 7 ? "f\(below(64))" : pick(["a", "b", "c"]))
    }

    private mutating func location() -> Location {
        Location(
            latitude: pick([0, 90, -90, 52.5, 52.51, .nan, 400]),
            longitude: pick([0, 180, -180, 13.4, -0.0, .infinity]))
    }

    private mutating func single() -> FieldValue {
        switch below(8) {
        case 0, 1, 2: .string(text())
        case 3: .int64(pick(Self.numbers))
        case 4: .double(pick(Self.doubles))
        case 5: .timestamp(Timestamp(milliseconds: pick(Self.numbers)))
        case 6:
            .reference(
                Reference(
                    recordName: RecordName(trusted: pick(["r", "s"])),
                    zone: pick([nil, ZoneID.publicDefault, ZoneID(name: pick(Self.zones), owner: pick(Self.users))]),
                    action: .none))
        default: .location(location())
        }
    }

    private mutating func value() -> FieldValue {
        guard below(4) == 1 else { return single() }
        if below(2) == 0 { return .stringList((0..<below(40)).map { _ in text() }) }
        return .list((0..<below(6)).map { _ in .int64(pick(Self.numbers)) }, of: .int64)
    }

    private mutating func singles() -> [FieldValue] { (0..<below(5)).map { _ in single() } }

    private mutating func relation() -> Predicate.Relation {
        let options = Predicate.StringOptions(rawValue: UInt32(below(4)))
        switch below(19) {
        case 0: return .containsText(text(), options)
        case 1: return .like(TextPattern(pick(["*", "", "a*"]) + text() + pick(["", "*", "?"])), options)
        case 2: return .equals(single(), options)
        case 3: return .beginsWith(text(), options)
        case 4: return .endsWith(text(), options)
        case 5: return .isIn(singles(), options)
        case 6: return .lessThan(single())
        case 7: return .lessThanOrEquals(single())
        case 8: return .greaterThan(single())
        case 9: return .greaterThanOrEquals(single())
        case 10: return .listContains(single(), options)
        case 11: return .listContainsAny(singles(), options)
        case 12: return .listContainsAll(singles(), options)
        case 13: return .listMemberBeginsWith(text(), options)
        case 14:
            return .near(
                location(), metres: pick([0, 1000, 1e6, 9e6, .infinity, .nan, -1]), isInclusive: below(2) == 0)
        case 15: return .containsAllTokens([text()])
        case 16: return .containsAnyTokens([text(), text()])
        case 17: return .exists
        default: return .containsText(pick(Self.pieces), options)
        }
    }

    private mutating func predicate(_ depth: Int) -> Predicate {
        switch below(depth > 0 ? 12 : 8) {
        case 8: return .not(predicate(depth - 1))
        case 9, 10: return .all((0..<below(6)).map { _ in predicate(depth - 1) })
        case 11: return .any((0..<below(6)).map { _ in predicate(depth - 1) })
        case 7: return pick([.always, .any([])])
        case 6: return .comparison(.init(field: .searchableTexts, relation: relation()))
        case 5: return .comparison(.init(field: .system(pick(SystemField.allCases)), relation: relation()))
        default: return .comparison(.init(field: .field(name()), relation: relation()))
        }
    }

    mutating func subscription(_ number: Int) -> Subscription {
        var condition: Subscription.Condition
        switch below(10) {
        case 8: condition = .zone(pick(Self.zones), recordType: pick([nil, RecordType(trusted: "T")]))
        case 9: condition = .database(recordType: pick([nil, RecordType(trusted: "T")]))
        default:
            condition = Subscription.Condition(
                query: Query(
                    recordType: RecordType(trusted: pick(["T", "U"])), filters: [],
                    written: WrittenPredicate(text: "", argumentsJSON: nil, tree: predicate(3))),
                zone: pick([nil, nil, Self.zones[0], Self.zones[1]]),
                firesOn: FiringEvents(rawValue: pick([7, 7, 1, 2, 4, 16, 32, 48, 55])), firesOnce: false,
                changedKeys: below(6) == 1 ? [name(), name()] : [])
        }
        return Subscription(
            key: SubscriptionKey(
                user: pick(Self.users), database: pick([.public, .public, .private, .shared]),
                id: SubscriptionID(trusted: "s\(number)")), condition: condition, notificationInfo: NotificationInfo())
    }

    private mutating func record(_ zone: ZoneID) -> Record {
        var fields = RecordFields()
        for _ in 0..<below(6) { fields[name()] = value() }
        let stamp = RecordStamp(
            timestamp: Timestamp(milliseconds: pick(Self.numbers)), user: pick(Self.users), device: nil)
        return Record(
            type: RecordType(trusted: pick(["T", "U"])), name: RecordName(trusted: pick(["r", "s"])), zone: zone,
            changeTag: "t", created: stamp, modified: stamp, fields: fields)
    }

    mutating func change(_ number: Int) -> Change {
        let database: DatabaseScope = pick([.public, .public, .private, .shared])
        let zone = database == .public ? ZoneID.publicDefault : ZoneID(name: pick(Self.zones), owner: pick(Self.users))
        let kind: Change.Kind = pick([.created, .updated, .updated, .deleted])
        let isOfZone = below(20) == 19
        let after = kind == .deleted || isOfZone ? nil : record(zone)
        var before = kind == .created || isOfZone ? nil : record(zone)
        if let after {
            before?.type = after.type
            before?.name = after.name
        }
        return Change(
            sequence: CommitSequence(Int64(number) + 1), lastSubscription: .zero, database: database, kind: kind,
            before: before, after: after, committed: Timestamp(milliseconds: 1),
            origin: Origin(user: Self.users[0], device: nil, epoch: nil), zone: isOfZone ? zone : nil,
            participants: Self.users.filter { _ in below(2) == 0 }, reader: pick([.world, .icloud, .creator, nil]))
    }
}
