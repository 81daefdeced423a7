import CMatchingLoop
package import CloudModel

/// `ckwl` in the types of the product: the generator is C's own, so that every draw is the same.
package enum Workload {
    /// How the subscriptions are spread.
    package struct Spread: Sendable {
        /// Whose they are, in turns.
        package var users: Int
        /// What the draws are divided into by one more equality: so many times fewer hits. 1 adds none.
        package var shards: Int

        package init(users: Int = 1, shards: Int = 1) {
            self.users = users
            self.shards = shards
        }
    }

    /// Begins with the first subscription again.
    package static func beginSubscriptions() { ckwl_begin_subscriptions() }

    static let type = RecordType(trusted: "Item")
    private static let fields = [
        "artist", "genre", "priority", "title", "updated_at", "rating", "price", "is_public", "tags", "parent",
    ].map { FieldName(trusted: $0) }
    private static let title = 3
    private static let updated = 4
    private static let tags = 8
    private static let textFields: Set<Int> = [0, 1, 2, 8, 9]
    private static let shard = FieldName(trusted: "shard")

    /// The name of a user, as the service makes names.
    package static func user(_ number: Int) -> UserRecordName {
        let digits = String(number, radix: 16)
        return UserRecordName(trusted: "_" + String(repeating: "0", count: 32 - digits.count) + digits)
    }

    /// A subscription of every record of the type, to be given another condition.
    package static var always: Subscription {
        Subscription(
            key: SubscriptionKey(user: user(1), database: .public, id: SubscriptionID(trusted: "always")),
            condition: Subscription.Condition(
                query: Query(recordType: type, filters: []), zone: nil, firesOn: [.create, .update, .delete],
                firesOnce: false),
            notificationInfo: NotificationInfo())
    }

    /// The next subscriptions of the generator.
    package static func subscriptions(_ count: Int, from first: Int, _ spread: Spread = Spread()) -> [Subscription] {
        (first..<first + count).map { subscription($0, spread) }
    }

    private static func subscription(_ number: Int, _ spread: Spread) -> Subscription {
        var predicates = Array(repeating: ckwl_predicate(), count: 12)
        var counts: [Int32] = [0, 0]
        let disjuncts = Int(ckwl_next_subscription(&predicates, &counts))
        let parts = (0..<disjuncts).map { disjunct in
            all((0..<Int(counts[disjunct])).map { predicate(predicates[disjunct * 6 + $0]) })
        }
        var tree = parts.count == 1 ? parts[0] : .any(parts)
        if spread.shards > 1 {
            let mine = FieldValue.int64(Int64(number % spread.shards))
            tree = .all([
                .comparison(Predicate.Comparison(field: .field(shard), relation: .equals(mine, .caseInsensitive))),
                tree,
            ])
        }
        return Subscription(
            key: SubscriptionKey(
                user: user(number % spread.users), database: .public, id: SubscriptionID(trusted: "s\(number)")),
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
    package static func changes(_ count: Int, after sequence: Int = 0, _ spread: Spread = Spread()) -> [Change] {
        ckwl_begin_events()
        return (0..<count).map { change($0, after: sequence, spread) }
    }

    private static func change(_ number: Int, after sequence: Int, _ spread: Spread) -> Change {
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
        if spread.shards > 1 { record[shard] = .int64(Int64(number * 7919 % spread.shards)) }
        // Nobody of those who subscribe made it.
        let user = user(1 << 40)
        let stamp = RecordStamp(timestamp: Timestamp(milliseconds: 1), user: user, device: nil)
        let after = Record(
            type: type, name: RecordName(trusted: "r\(number)"), zone: .publicDefault, changeTag: "t", created: stamp,
            modified: stamp, fields: record)
        return Change(
            sequence: CommitSequence(Int64(sequence + number + 1)), lastSubscription: .zero, database: .public,
            kind: .created,
            before: nil, after: after, committed: Timestamp(milliseconds: 1),
            origin: Origin(user: user, device: nil, epoch: nil))
    }
}
