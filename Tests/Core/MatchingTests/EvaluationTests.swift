import CloudModel
import Matching
import Testing

/// How a predicate is evaluated: docs/cloudkit.md#comparisons, docs/choices.md, 22 and 23.
@Suite struct EvaluationTests {
    typealias Relation = Predicate.Relation

    private func holds(_ relation: Relation, _ value: FieldValue) -> Bool {
        Fixtures.comparison("f", relation).holds(for: Fixtures.record(["f": value]))
    }

    @Test(arguments: [
        (Relation.equals(.string("STRASSE")), FieldValue.string("straße"), true),
        (.equals(.string("strase")), .string("straße"), false),
        // Everything but EQUALS, IN and LIST_CONTAINS is exact.
        (.beginsWith("Str"), .string("Straße"), true), (.beginsWith("str"), .string("Straße"), false),
        (.beginsWith(""), .string(""), true), (.beginsWith("é"), .string("e\u{301}a"), false),
        (.beginsWith("e"), .string("e\u{301}a"), true), (.beginsWith("ab"), .string("a"), false),
        (.lessThan(.string("a")), .string("Z"), true), (.lessThan(.string("Z")), .string("a"), false),
        (.lessThan(.string("\u{10000}")), .string("\u{ffff}"), true), (.lessThan(.string("a")), .string("a"), false),
        (.lessThanOrEquals(.string("a")), .string("a"), true), (.greaterThan(.string("a")), .string("a\u{0}"), true),
        (.isIn([.string("x"), .string("ß")]), .string("SS"), true), (.isIn([]), .string("x"), false),
        (.listContains(.string("FOO")), .stringList(["bar", "foo"]), true),
        (.listContains(.string("fo")), .stringList(["bar", "foo"]), false),
        (.listContains(.string("x")), .stringList([]), false), (.listContains(.string("x")), .string("x"), false),
        (.equals(.string("x")), .stringList(["x"]), false),
    ])
    func strings(relation: Relation, value: FieldValue, expected: Bool) {
        #expect(holds(relation, value) == expected)
    }

    @Test(arguments: [
        (Relation.equals(.double(1)), FieldValue.int64(1), true), (.equals(.int64(1)), .double(1), true),
        (.equals(.double(-0.0)), .double(0), true), (.equals(.double(0)), .int64(0), true),
        // 2^53 + 1 has no double; compared as doubles the two would be equal.
        (.equals(.double(9_007_199_254_740_992)), .int64(9_007_199_254_740_993), false),
        (.greaterThan(.double(9_007_199_254_740_992)), .int64(9_007_199_254_740_993), true),
        (.lessThan(.int64(9_007_199_254_740_993)), .double(9_007_199_254_740_992), true),
        // 2^63 is one more than the largest integer, and the double nearest to it.
        (.equals(.double(9_223_372_036_854_775_808)), .int64(.max), false),
        (.lessThan(.double(9_223_372_036_854_775_808)), .int64(.max), true),
        (.equals(.double(-9_223_372_036_854_775_808)), .int64(.min), true),
        (.greaterThan(.double(-9_223_372_036_854_777_856)), .int64(.min), true),
        (.lessThan(.double(.infinity)), .int64(.max), true), (.greaterThan(.double(-.infinity)), .int64(.min), true),
        (.greaterThan(.double(-1.5)), .int64(-1), true), (.lessThan(.double(-1.5)), .int64(-2), true),
        (.greaterThan(.double(0.5)), .int64(0), false), (.lessThan(.double(0.5)), .int64(0), true),
        (.equals(.double(.nan)), .double(.nan), false), (.lessThanOrEquals(.double(.nan)), .double(1), false),
        (.equals(Fixtures.time(5)), Fixtures.time(5), true), (.greaterThan(Fixtures.time(5)), Fixtures.time(6), true),
        (.lessThan(Fixtures.time(-1)), Fixtures.time(-2), true),
        (.isIn([.int64(1), .double(2.5)]), .double(2.5), true), (.isIn([.int64(1)]), .int64(2), false),
        // Values of other kinds have no order and are never equal.
        (.equals(.string("1")), .int64(1), false), (.lessThan(.string("z")), .int64(1), false),
        (.greaterThanOrEquals(.int64(0)), .string("1"), false),
    ])
    func numbers(relation: Relation, value: FieldValue, expected: Bool) {
        #expect(holds(relation, value) == expected)
    }

    /// docs/cloudkit.md#comparisons: references are equal by record ID only; a missing zone is the record's own.
    @Test(arguments: [
        (Fixtures.reference("a"), Fixtures.reference("a", action: .validate), true),
        (Fixtures.reference("a"), Fixtures.reference("b"), false),
        (Fixtures.reference("a"), Fixtures.reference("A"), false),
        (Fixtures.reference("a", zone: .publicDefault), Fixtures.reference("a"), true),
        (
            Fixtures.reference("a", zone: ZoneID(name: .defaultZone, owner: Fixtures.bob)), Fixtures.reference("a"),
            false
        ),
        (.string("a"), Fixtures.reference("a"), false),
    ])
    func references(operand: FieldValue, value: FieldValue, expected: Bool) {
        #expect(holds(.equals(operand), value) == expected)
        #expect(holds(.isIn([operand]), value) == expected)
        for relation in [Relation.lessThan(operand), .greaterThan(operand)] { #expect(!holds(relation, value)) }
    }

    /// docs/choices.md, 22: a comparison with an absent field is false, its negation true.
    @Test(arguments: [
        Relation.equals(.int64(0)), .lessThan(.int64(0)), .lessThanOrEquals(.int64(0)), .greaterThan(.int64(0)),
        .greaterThanOrEquals(.int64(0)), .isIn([.int64(0)]), .beginsWith(""), .listContains(.string("")),
    ])
    func anAbsentFieldIsNeitherLessNorEqualNorGreater(relation: Relation) {
        let predicate = Fixtures.comparison("absent", relation)
        let record = Fixtures.record(["f": .int64(0)])
        #expect(!predicate.holds(for: record))
        #expect(Predicate.not(predicate).holds(for: record))
        #expect(!Predicate.not(.not(predicate)).holds(for: record))
    }

    @Test(arguments: [
        (Fixtures.system(.recordName, .equals(.string("r"))), true),
        // Names of the system's are exact: two records may differ in case only.
        (Fixtures.system(.recordName, .equals(.string("R"))), false),
        (Fixtures.system(.recordName, .isIn([.string("R")])), false),
        (Fixtures.system(.recordName, .beginsWith("r")), true),
        (Fixtures.system(.createdTimestamp, .equals(Fixtures.time(1000))), true),
        (Fixtures.system(.modifiedTimestamp, .greaterThan(Fixtures.time(1999))), true),
        (Fixtures.system(.modifiedTimestamp, .greaterThan(Fixtures.time(2000))), false),
        (Fixtures.system(.createdUserRecordName, .equals(.string(Fixtures.alice.rawValue))), true),
        (Fixtures.system(.modifiedUserRecordName, .equals(.string(Fixtures.alice.rawValue))), false),
        (Fixtures.system(.modifiedUserRecordName, .equals(.string(Fixtures.bob.rawValue))), true),
    ])
    func systemFields(predicate: Predicate, expected: Bool) {
        #expect(predicate.holds(for: Fixtures.record()) == expected)
    }

    @Test func compoundsFollowTheirNames() {
        let record = Fixtures.record(["f": .int64(1)])
        let yes = Fixtures.comparison("f", .equals(.int64(1)))
        let no = Fixtures.comparison("f", .equals(.int64(2)))
        #expect(Predicate.always.holds(for: record))
        #expect(Predicate.all([]).holds(for: record))
        #expect(Predicate.all([yes, yes]).holds(for: record))
        #expect(!Predicate.all([yes, no]).holds(for: record))
        #expect(Predicate.not(.all([yes, no])).holds(for: record))
    }

    /// `filterBy` is ANDed; NOT_EQUALS is the negation of EQUALS, so true on an absent field.
    @Test func filtersBecomeTheirPredicates() {
        func filter(_ comparator: Comparator, _ operand: Filter.Operand, _ field: String = "f") -> Filter {
            Filter(field: .field(FieldName(trusted: field)), comparator: comparator, operand: operand)
        }
        func holds(_ filters: Filter...) -> Bool {
            Query(recordType: RecordType(trusted: "Artwork"), filters: filters).predicate.holds(
                for: Fixtures.record(["f": .int64(5), "s": .string("abc"), "l": .stringList(["x"])]))
        }
        #expect(holds())
        #expect(holds(filter(.equals, .value(.int64(5)))))
        #expect(!holds(filter(.notEquals, .value(.int64(5)))))
        #expect(holds(filter(.notEquals, .value(.int64(4)))))
        #expect(holds(filter(.notEquals, .value(.int64(5)), "absent")))
        #expect(!holds(filter(.equals, .value(.int64(5)), "absent")))
        #expect(holds(filter(.lessThan, .value(.int64(6))), filter(.greaterThan, .value(.int64(4)))))
        #expect(!holds(filter(.lessThan, .value(.int64(6))), filter(.greaterThan, .value(.int64(5)))))
        #expect(holds(filter(.lessThanOrEquals, .value(.int64(5))), filter(.greaterThanOrEquals, .value(.int64(5)))))
        #expect(holds(filter(.in, .values([.int64(1), .int64(5)], of: .int64))))
        #expect(!holds(filter(.in, .values([], of: .int64))))
        #expect(holds(filter(.beginsWith, .value(.string("ab")), "s")))
        #expect(holds(filter(.listContains, .value(.string("X")), "l")))
        // What a validator would have refused matches nothing, negated or not.
        #expect(!holds(filter(.beginsWith, .value(.int64(1)), "s")))
        #expect(!holds(filter(.notEquals, .values([.int64(1)], of: .int64))))
    }
}
