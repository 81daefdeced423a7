import CMatchingLoop
import CloudModel

/// `ckwl` in the types of the product: the generator is C's own, so that every draw is the same.
enum Workload {
    static let type = RecordType(trusted: "Item")
    private static let fields = [
        "artist", "genre", "priority", "title", "updated_at", "rating", "price", "is_public", "tags", "parent",
    ].map { FieldName(trusted: $0) }
    private static let title = 3
    private static let updated = 4
    private static let tags = 8
    private static let textFields: Set<Int> = [0, 1, 2, 8, 9]
    private static let user = UserRecordName(trusted: "_" + String(repeating: "a", count: 32))

    /// The next subscriptions of the generator.
    static func subscriptions(_ count: Int, from first: Int) -> [Subscription] {
        (first..<first + count).map { subscription($0) }
    }

    private static func subscription(_ number: Int) -> Subscription {
        var predicates = Array(repeating: ckwl_predicate(), count: 12)
        var counts: [Int32] = [0, 0]
        let disjuncts = Int(ckwl_next_subscription(&predicates, &counts))
        let parts = (0..<disjuncts).map { disjunct in
            all((0..<Int(counts[disjunct])).map { predicate(predicates[disjunct * 6 + $0]) })
        }
        let tree = parts.count == 1 ? parts[0] : .any(parts)
        return Subscription(
            key: SubscriptionKey(user: user, database: .public, id: SubscriptionID(trusted: "s\(number)")),
            condition: Subscription.Condition(
                query: Query(
                    recordType: type, filters: [], written: WrittenPredicate(text: "", argumentsJSON: nil, tree: tree)),
                zone: nil, firesOn: [.create, .update, .delete], firesOnce: false),
            notificationInfo: NotificationInfo())
    }

    private static func all(_ parts: [Predicate]) -> Predicate { parts.count == 1 ? parts[0] : .all(parts) }

    private static func predicate(_ drawn: ckwl_predicate) -> Predicate {
        let field = Int(drawn.field)
        let value = value(field, drawn.a)
        switch drawn.op {
        case 0: return comparison(field, .equals(value, .caseInsensitive))
        // False on an absent field, unlike a negation of ours.
        case 1:
            return .all([
                comparison(field, .exists), .not(comparison(field, .equals(value, .caseInsensitive))),
            ])
        case 2: return comparison(field, .lessThan(value))
        case 3: return comparison(field, .lessThanOrEquals(value))
        case 4: return comparison(field, .greaterThan(value))
        case 5: return comparison(field, .greaterThanOrEquals(value))
        case 6: return comparison(field, .isIn([value, self.value(field, drawn.b)], .caseInsensitive))
        case 7: return comparison(field, .listContains(value, .caseInsensitive))
        case 8: return comparison(field, .beginsWith(text(drawn), []))
        default: return comparison(field, .containsText(text(drawn), []))
        }
    }

    private static func comparison(_ field: Int, _ relation: Predicate.Relation) -> Predicate {
        .comparison(Predicate.Comparison(field: .field(fields[field]), relation: relation))
    }

    private static func text(_ drawn: ckwl_predicate) -> String {
        withUnsafeBytes(of: drawn.text) { String(decoding: $0.prefix(Int(drawn.length)), as: UTF8.self) }
    }

    private static func value(_ field: Int, _ value: Int64) -> FieldValue {
        if field == updated { return .timestamp(Timestamp(milliseconds: value * 1000)) }
        guard textFields.contains(field) else { return .int64(value) }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            ckwl_text(Int32(field), value, text.baseAddress)
            return .string(String(cString: text.baseAddress!))
        }
    }

    /// The first changes of the generator.
    static func changes(_ count: Int) -> [Change] {
        ckwl_begin_events()
        return (0..<count).map { change($0) }
    }

    private static func change(_ number: Int) -> Change {
        var event = ckwl_event()
        ckwl_next_event(UInt64(number), &event)
        let values = withUnsafeBytes(of: event.values) { Array($0.bindMemory(to: Int64.self)) }
        let tags = withUnsafeBytes(of: event.tags) { Array($0.bindMemory(to: Int64.self)) }
        var record = RecordFields()
        for field in fields.indices where event.present >> Int32(field) & 1 == 1 {
            switch field {
            case title:
                record[fields[field]] = .string(
                    withUnsafeBytes(of: event.title) { String(decoding: $0.prefix(13), as: UTF8.self) })
            case Self.tags:
                record[fields[field]] = .list(tags.prefix(Int(event.tag_count)).map { value(field, $0) }, of: .string)
            default: record[fields[field]] = value(field, values[field])
            }
        }
        let stamp = RecordStamp(timestamp: Timestamp(milliseconds: 1), user: user, device: nil)
        let after = Record(
            type: type, name: RecordName(trusted: "r\(number)"), zone: .publicDefault, changeTag: "t", created: stamp,
            modified: stamp, fields: record)
        return Change(
            sequence: Sequence(Int64(number) + 1), lastSubscription: .zero, database: .public, kind: .created,
            before: nil, after: after, committed: Timestamp(milliseconds: 1),
            origin: Origin(user: user, device: nil, epoch: nil))
    }
}
