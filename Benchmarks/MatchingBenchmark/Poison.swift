import CloudModel
import Matching
import MatchingWorkload

/// Subscriptions made to be slow, each as dear as may be saved, one at a time among 100,000 others: what every change
/// costs with it and without it.
struct Poison {
    var name: String
    var predicate: Predicate
    var firesOn: FiringEvents = [.create, .update, .delete]

    private static let title = FilterField.field(FieldName(trusted: "title"))
    private static let tags = FilterField.field(FieldName(trusted: "tags"))
    private static let place = FilterField.field(FieldName(trusted: "place"))
    private static let numbers = ["priority", "rating", "price"].map { FilterField.field(FieldName(trusted: $0)) }

    /// All of them; each is within the budget.
    static func all() -> [Poison] {
        let comparisons = Limits.predicateComparisonsMax
        func holds(_ number: Int) -> Predicate {
            comparison(title, .containsText("\(number)#", [.caseInsensitive, .diacriticInsensitive]))
        }
        let holding = Predicate.any((0..<comparisons).map(holds))
        // Every letter of it may begin a match, and none ends one.
        let pattern = "*" + (0..<60).map { _ in "?a*" }.joined() + "#"
        var nested = Predicate.all([holds(0), holds(1)])
        for level in 0..<Limits.predicateDepthMax {
            let more = (0..<12).map { holds(level * 12 + $0) }
            nested = level.isMultiple(of: 2) ? .any([.not(nested)] + more) : .all([nested] + more.map { .not($0) })
        }
        let lists = (0..<78).map { list in
            comparison(
                numbers[list % 3],
                .isIn((0..<Limits.listFilterValuesMax).map { .int64(Int64(1_000_000_000 + list * 1000 + $0)) }, []))
        }
        let members = (0..<Limits.listFilterValuesMax).map { FieldValue.string("no tag \($0)") }
        let poisons = [
            Poison(name: "200 parts of a text", predicate: holding),
            Poison(name: "none of 200 parts of a text", predicate: .all((0..<comparisons).map { .not(holds($0)) })),
            Poison(
                name: "patterns that begin everywhere",
                predicate: filled { _ in .not(comparison(title, .like(TextPattern(pattern), [.caseInsensitive]))) }),
            Poison(
                name: "short patterns that begin everywhere",
                predicate: filled { _ in .not(comparison(title, .like("*?a*?e*?i*?o*#", [.caseInsensitive]))) }),
            Poison(
                name: "patterns, on entering",
                predicate: filled { _ in comparison(title, .like("*?*?*?*?*?*?*", [.caseInsensitive])) },
                firesOn: [.enter]),
            Poison(
                name: "circles",
                predicate: filled { number in
                    // None of them holds the place.
                    let center = Location(latitude: -60 + Double(number) / 10, longitude: -120)
                    return .not(comparison(place, .near(center, metres: 1000 + Double(number), isInclusive: true)))
                }),
            Poison(
                name: "members that begin",
                predicate: filled { .not(comparison(tags, .listMemberBeginsWith("no tag \($0)", [.caseInsensitive]))) }
            ),
            Poison(name: "16 levels", predicate: nested),
            Poison(name: "78 lists of 1,000 numbers", predicate: .any(lists)),
            Poison(name: "none of 78 lists", predicate: .all(lists.map { .not($0) })),
            Poison(
                name: "members of long lists",
                predicate: .any((0..<70).map { _ in comparison(tags, .listContainsAny(members, [.caseInsensitive])) })),
            Poison(
                name: "words",
                predicate: .any((0..<150).map { comparison(title, .containsAllTokens(["w\($0) x y z"])) })),
            Poison(name: "200 parts, on entering", predicate: holding, firesOn: [.enter]),
        ]
        for poison in poisons { precondition(poison.predicate.cost <= Limits.predicateCostMax, poison.name) }
        return poisons
    }

    /// As many as the budget and the limit of comparisons allow, all of which have to hold.
    private static func filled(_ make: (Int) -> Predicate) -> Predicate {
        let count = min(Limits.predicateComparisonsMax, Limits.predicateCostMax / make(0).cost)
        return .all((0..<count).map(make))
    }

    private static func comparison(_ field: FilterField, _ relation: Predicate.Relation) -> Predicate {
        .comparison(Predicate.Comparison(field: field, relation: relation))
    }

    /// As many of a user's as the budget of all together allows, at most 1,000 of each kind, beside others: what the
    /// changes of others cost, and what one costs whose text is long.
    static func measureAll(subscriptions: Int, events: Int) {
        let changes = Workload.changes(events).map(placed)
        var measurement = Measurement(subscriptions: subscriptions, changes: changes)
        measurement.insertAll()
        measurement.pass()
        for poison in crowds() {
            measurement.pass()
            let before = measurement.p99Microseconds
            let plain = measurement.longTextMilliseconds()
            var count = 0
            var cost = 0
            while count < Limits.subscriptionsDefaultMax {
                let subscription = poison.make(count).subscription
                guard cost + subscription.standingCost <= Limits.predicateCostOfUserMax else { break }
                cost += subscription.standingCost
                measurement.index.insert(subscription, id: subscriptions + count)
                count += 1
            }
            measurement.pass()
            let (with, median) = (measurement.p99Microseconds, measurement.medianMicroseconds)
            let long = measurement.longTextMilliseconds()
            for number in 0..<count { measurement.index.remove(id: subscriptions + number) }
            measurement.pass()
            let without = (before + measurement.p99Microseconds) / 2
            print(
                """
                {"poison":"\(poison.name)","subscriptions":\(count),"cost":\(cost),"p99Microseconds":\(rounded(with)),\
                "p99WithoutThem":\(rounded(without)),"ratio":\(rounded(with / without)),"p50Microseconds":\(rounded(median)),\
                "oneMiBMilliseconds":\(rounded(long)),"oneMiBWithoutThem":\(rounded(plain))}
                """)
        }
    }

    /// Subscriptions of one user that differ in every comparison.
    private static func crowds() -> [(name: String, make: (Int) -> Poison)] {
        func many(_ count: Int, _ make: (Int) -> Predicate.Relation) -> Predicate {
            .all((0..<count).map { .not(comparison(title, make($0))) })
        }
        return [
            (
                "none of 200 parts of a text",
                { id in
                    Poison(name: "", predicate: many(200) { .containsText("\(id)#\($0)", []) })
                }
            ),
            (
                "none of 200 parts, folded in four ways",
                { id in
                    Poison(
                        name: "",
                        predicate: many(200) {
                            .containsText("\(id)#\($0)", Predicate.StringOptions(rawValue: UInt32($0 % 4)))
                        })
                }
            ),
            ("one part each", { id in Poison(name: "", predicate: many(1) { _ in .containsText("\(id)#", []) }) }),
            (
                "patterns",
                { id in
                    Poison(
                        name: "",
                        predicate: many(1) { _ in .like(TextPattern("*?a*e*?i*o\(id)#*"), [.caseInsensitive]) })
                }
            ),
            (
                "patterns with a part that is there",
                { id in
                    Poison(
                        name: "",
                        predicate: comparison(title, .like(TextPattern("*lorem*?a*?e*\(id)#*"), [.caseInsensitive])))
                }
            ),
            ("words", { id in Poison(name: "", predicate: many(10) { .containsAnyTokens(["w\(id)x\($0)"]) }) }),
            (
                "circles",
                { id in
                    let center = Location(latitude: -60 + Double(id) / 10, longitude: -120)
                    return Poison(
                        name: "",
                        predicate: .not(comparison(place, .near(center, metres: 1000, isInclusive: true))))
                }
            ),
            (
                "parts, on entering",
                { id in
                    Poison(name: "", predicate: many(99) { .containsText("\(id)#\($0)", []) }, firesOn: [.enter])
                }
            ),
        ]
    }

    fileprivate static func placed(_ change: Change) -> Change {
        var change = change
        change.after?.fields[FieldName(trusted: "place")] = .location(Location(latitude: 52.5, longitude: 13.4))
        return change
    }

    static func measure(subscriptions: Int, events: Int) {
        let changes = Workload.changes(events).map(placed)
        var measurement = Measurement(subscriptions: subscriptions, changes: changes)
        measurement.insertAll()
        measurement.pass()
        for poison in all() {
            // Before and after, in one go: the machine's own changes show in both.
            measurement.pass()
            let before = measurement.p99Microseconds
            measurement.index.insert(poison.subscription, id: subscriptions)
            measurement.pass()
            let (with, median) = (measurement.p99Microseconds, measurement.medianMicroseconds)
            measurement.index.remove(id: subscriptions)
            measurement.pass()
            let without = (before + measurement.p99Microseconds) / 2
            print(
                """
                {"poison":"\(poison.name)","cost":\(poison.predicate.cost),"p99Microseconds":\(rounded(with)),\
                "p99WithoutIt":\(rounded(without)),"ratio":\(rounded(with / without)),"p50Microseconds":\(rounded(median))}
                """)
        }
    }

    private var subscription: Subscription {
        var subscription = Workload.always
        subscription.condition.query.written = WrittenPredicate(text: "", argumentsJSON: nil, tree: predicate)
        subscription.condition.firesOn = firesOn
        return subscription
    }

    private static func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}

extension Measurement {
    /// Milliseconds of a change whose text has 1 MiB, the best of three.
    fileprivate mutating func longTextMilliseconds() -> Double {
        var change = changes.first { $0.after != nil }!
        var text = ""
        var number = 0
        while text.utf8.count < 1 << 20 {
            text += "Lorem ipsum dolor sit amet \(number) "
            number += 1
        }
        change.after?.fields[FieldName(trusted: "title")] = .string(text)
        let changed = change
        return (0..<3).map { _ in seconds { index.withMatches(of: changed) { _ in } } * 1000 }.min()!
    }
}
