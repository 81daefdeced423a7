import CloudModel
import TestSupport
import Testing

@testable import Matching

/// The outcomes of a predicate's nodes, against the plain evaluation and against records that differ in one field.
@Suite struct PredicateTracingTests {
    /// A predicate of comparisons each of which has a field of its own, so that its outcome can be turned alone.
    private struct Turnable {
        var random: SeededGenerator
        var fields: [String] = []

        mutating func predicate(depth: Int) -> Predicate {
            switch Int.random(in: 0..<(depth > 0 ? 6 : 2), using: &random) {
            case 2: return .not(predicate(depth: depth - 1))
            case 3: return .all(parts(depth))
            case 4, 5: return .any(parts(depth))
            default:
                if Int.random(in: 0..<12, using: &random) == 0 { return .always }
                fields.append("f\(fields.count)")
                return .comparison(
                    .init(field: .field(FieldName(trusted: fields[fields.count - 1])), relation: .exists))
            }
        }

        private mutating func parts(_ depth: Int) -> [Predicate] {
            (0..<Int.random(in: 0..<4, using: &random)).map { _ in predicate(depth: depth - 1) }
        }

        mutating func record() -> Set<String> {
            Set(fields.filter { _ in Bool.random(using: &random) })
        }
    }

    private static func record(_ fields: Set<String>) -> Record {
        Fixtures.record(Dictionary(uniqueKeysWithValues: fields.map { ($0, .int64(1)) }))
    }

    private static func deciding(_ node: PredicateOutcome) -> [PredicateOutcome] {
        (node.decides ? [node] : []) + node.parts.flatMap(deciding)
    }

    @Test("each node's outcome is that of the plain evaluation")
    func outcomes() throws {
        let seed = TestSeeds.first
        print("seed \(seed)")
        var predicates = RandomPredicates(random: SeededGenerator(seed: seed))
        func check(_ predicate: Predicate, _ node: PredicateOutcome, _ record: Record) throws {
            try #require(node.holds == predicate.holds(for: record), "seed \(seed): \(predicate)")
            switch predicate {
            case .all(let parts), .any(let parts):
                try #require(parts.count == node.parts.count)
                for (part, node) in zip(parts, node.parts) { try check(part, node, record) }
            case .not(let part): try check(part, node.parts[0], record)
            case .comparison(let comparison):
                #expect(node.comparison == comparison && node.value == record.value(of: comparison.field))
            case .always: break
            }
        }
        for number in 0..<500 {
            let (predicate, record) = (predicates.predicate(), predicates.record(number))
            let node = predicate.traced(on: record)
            try check(predicate, node, record)
            try #require(Self.deciding(node).count == 1, "seed \(seed): \(predicate)")
        }
    }

    @Test("the comparison that decided turns the whole, and no other comparison does alone")
    func deciding() throws {
        let seed = TestSeeds.first
        print("seed \(seed)")
        for number in 0..<2000 {
            var turnable = Turnable(random: SeededGenerator(seed: seed &+ UInt64(number)))
            let predicate = turnable.predicate(depth: 4)
            let fields = turnable.record()
            let node = predicate.traced(on: Self.record(fields))
            let turning = turnable.fields.filter { field in
                predicate.holds(for: Self.record(fields.symmetricDifference([field]))) != node.holds
            }
            let decided = try #require(Self.deciding(node).first)
            if let comparison = decided.comparison {
                try #require(turning.contains("\(comparison.field)"), "seed \(seed), \(number): \(predicate)")
            }
            // Of a failure that one comparison explains, the nearest reason is that comparison.
            let failure = predicate.onlyFailure(on: Self.record(fields))
            try #require(
                failure.map { "\($0.field)" } == (node.holds ? nil : turning.first),
                "seed \(seed), \(number): \(predicate) on \(fields.sorted()), \(turning)")
        }
    }

    @Test("a subscription misses a change by one comparison only where all else fits")
    func nearMisses() throws {
        func comparison(_ name: String) -> Predicate {
            .comparison(.init(field: .field(FieldName(trusted: name)), relation: .exists))
        }
        let both = Predicate.all([comparison("a"), comparison("b")])
        var query = Query(recordType: RecordType(trusted: "Artwork"), filters: [])
        query.written = WrittenPredicate(text: "", argumentsJSON: nil, tree: both)
        let subscription = Subscription(
            key: SubscriptionKey(user: Fixtures.alice, database: .public, id: SubscriptionID(trusted: "s")),
            condition: Subscription.Condition(
                query: query, zone: nil, firesOn: [.update, .delete], firesOnce: false),
            notificationInfo: NotificationInfo())
        let cases: [(before: Set<String>?, after: Set<String>?, failed: String?)] = [
            (["a"], ["a"], "b"), (["a"], ["a", "b"], nil), (["a"], [], nil), (nil, ["a"], nil), (["b"], nil, "a"),
            (["a", "b"], nil, nil), (["a", "b"], ["b"], "a"),
        ]
        for (before, after, failed) in cases {
            let change = Change(
                sequence: CommitSequence(1), lastSubscription: .zero, database: .public,
                kind: before == nil ? .created : after == nil ? .deleted : .updated, before: before.map(Self.record),
                after: after.map(Self.record), committed: Timestamp(milliseconds: 1),
                origin: Origin(user: Fixtures.bob, device: nil, epoch: nil))
            #expect(subscription.onlyFailure(on: change).map { "\($0.field)" } == failed, "\(change)")
        }
    }
}
