import CloudModel
import Matching
import Testing

/// The trees of predicate strings, and the refused ones (docs/cloudkit.md#predicates, `docs/predicates.md`).
@Suite struct PredicateParserTests {
    private static let types: [String: FieldType] = [
        "s": .string, "n": .int64, "x": .double, "t": .timestamp, "r": .reference, "l": .location, "b": .bytes,
        "tags": .stringList, "numbers": .int64List, "in": .int64, "now": .int64,
    ]

    private static func parse(
        _ text: String, _ arguments: [GivenPredicate.Argument] = [], typed: Bool = true, time: Int64? = 5000,
        allows: PredicateLanguage = .fanfare
    ) throws(CloudError) -> Predicate {
        var known: [FieldName: FieldType] = [:]
        for (name, type) in types { known[FieldName(trusted: name)] = type }
        let given = GivenQuery(
            recordType: RecordType(trusted: "T"), filters: [],
            predicate: GivenPredicate(text: text, arguments: arguments))
        return try QueryValidator.query(
            given, types: typed ? known : nil, time: time.map { Timestamp(milliseconds: $0) }, allows: allows
        ).predicate
    }

    private static func argument(_ value: FieldValue) -> GivenPredicate.Argument {
        .value(GivenValue(value, isTypeExplicit: false))
    }

    typealias Relation = Predicate.Relation
    private static func f(_ field: String, _ relation: Relation) -> Predicate { Fixtures.comparison(field, relation) }
    private static let one = f("n", .equals(.int64(1)))
    private static let two = f("n", .equals(.int64(2)))
    private static let home = Location(latitude: 52.5, longitude: 13.4)

    @Test(arguments: [
        ("TRUEPREDICATE", Predicate.always), ("falsepredicate", .never), ("n == 1", one), ("n = 1", one),
        ("1 == n", one),
        ("n != 1", .not(one)), ("n <> 1", .not(one)), ("  n\t==\n1  ", one), ("(n == 1)", one), ("((n==1))", one),
        ("n < 1", f("n", .lessThan(.int64(1)))), ("n <= 1", f("n", .lessThanOrEquals(.int64(1)))),
        ("n =< 1", f("n", .lessThanOrEquals(.int64(1)))), ("n >= 1", f("n", .greaterThanOrEquals(.int64(1)))),
        ("n => 1", f("n", .greaterThanOrEquals(.int64(1)))), ("1 < n", f("n", .greaterThan(.int64(1)))),
        ("1 >= n", f("n", .lessThanOrEquals(.int64(1)))), ("n == -1", f("n", .equals(.int64(-1)))),
        ("n == YES", one), ("n == false", f("n", .equals(.int64(0)))), ("#in == 1", f("in", .equals(.int64(1)))),
        ("#now == 1", f("now", .equals(.int64(1)))),
        ("n == -9223372036854775808", f("n", .equals(.int64(.min)))),
        // Inferred integers become what their field is.
        ("x == 1", f("x", .equals(.double(1)))), ("x == 1.5e3", f("x", .equals(.double(1500)))),
        ("x > -0.5", f("x", .greaterThan(.double(-0.5)))), ("t > 1000", f("t", .greaterThan(Fixtures.time(1000)))),
        ("t < CAST(0, 'NSDate')", f("t", .lessThan(Fixtures.time(978_307_200_000)))),
        ("t < CAST(-0.001, \"NSDate\")", f("t", .lessThan(Fixtures.time(978_307_199_999)))),
        ("t < now", f("t", .lessThan(Fixtures.time(5000)))), ("t < NOW()", f("t", .lessThan(Fixtures.time(5000)))),
        ("n BETWEEN {1, 5}", .all([f("n", .greaterThanOrEquals(.int64(1))), f("n", .lessThanOrEquals(.int64(5)))])),
        ("n IN {1,2}", f("n", .isIn([.int64(1), .int64(2)]))), ("n in {}", f("n", .isIn([]))),
        ("{1,2} CONTAINS n", f("n", .isIn([.int64(1), .int64(2)]))),
        ("x IN {1, 2.5}", f("x", .isIn([.double(1), .double(2.5)]))),
        // Strings and their escapes.
        ("s == 'it\\'s'", f("s", .equals(.string("it's")))),
        ("s == \"'\\n\\t\\\\\"", f("s", .equals(.string("'\n\t\\")))),
        ("s == '\\u00e9'", f("s", .equals(.string("é")))), ("s == ''", f("s", .equals(.string("")))),
        ("s ==[cd] 'a'", f("s", .equals(.string("a"), [.caseInsensitive, .diacriticInsensitive]))),
        ("s BEGINSWITH 'a'", f("s", .beginsWith("a", []))),
        ("s beginswith[c] 'a'", f("s", .beginsWith("a", .caseInsensitive))),
        ("s ENDSWITH[d] 'a'", f("s", .endsWith("a", .diacriticInsensitive))),
        ("s LIKE 'a*?'", f("s", .like("a*?", []))),
        ("s CONTAINS[cd] 'a'", f("s", .containsText("a", [.caseInsensitive, .diacriticInsensitive]))),
        ("'a' IN s", f("s", .containsText("a", []))),
        ("s == nil", .not(f("s", .exists))), ("s != NULL", f("s", .exists)), ("nil == s", .not(f("s", .exists))),
        // Lists.
        ("tags CONTAINS 'a'", f("tags", .listContains(.string("a")))),
        ("'a' IN tags", f("tags", .listContains(.string("a")))),
        ("ANY tags == 'a'", f("tags", .listContains(.string("a")))),
        ("SOME tags = 'a'", f("tags", .listContains(.string("a")))),
        ("ANY tags IN {'a','b'}", f("tags", .listContainsAny([.string("a"), .string("b")], .caseInsensitive))),
        ("ANY {'a','b'} IN tags", f("tags", .listContainsAny([.string("a"), .string("b")], .caseInsensitive))),
        ("ALL {'a','b'} IN tags", f("tags", .listContainsAll([.string("a"), .string("b")], .caseInsensitive))),
        ("NONE tags == 'a'", .not(f("tags", .listContains(.string("a"))))),
        ("ANY tags BEGINSWITH 'a'", f("tags", .listMemberBeginsWith("a", []))),
        ("numbers CONTAINS 3", f("numbers", .listContains(.int64(3)))),
        // Words.
        ("self CONTAINS 'a b'", .comparison(.init(field: .searchableTexts, relation: .containsAnyTokens(["a b"])))),
        (
            "allTokens TOKENMATCHES[cdl] 'a b'",
            .comparison(.init(field: .searchableTexts, relation: .containsAllTokens(["a b"])))
        ),
        (
            "ALL tokenize('a b', 'Cdl') IN allTokens",
            .comparison(.init(field: .searchableTexts, relation: .containsAllTokens(["a b"])))
        ),
        (
            "ANY tokenize:using:('a b', 'Cdl') IN self",
            .comparison(.init(field: .searchableTexts, relation: .containsAnyTokens(["a b"])))
        ),
        ("ANY tokenize('a b', 'Cdl') IN s", f("s", .containsAnyTokens(["a b"]))),
        // Precedence and grouping.
        ("n == 1 AND n == 2", .all([one, two])), ("n == 1 && n == 2 and n == 1", .all([one, two, one])),
        ("n == 1 OR n == 2 AND n == 1", .any([one, .all([two, one])])),
        ("(n == 1 || n == 2) && n == 1", .all([.any([one, two]), one])),
        ("NOT n == 1 AND n == 2", .all([.not(one), two])), ("!(n == 1 AND n == 2)", .not(.all([one, two]))),
        ("NOT NOT n == 1", .not(.not(one))),
        // System fields by all their names.
        ("recordName == 'r'", Fixtures.system(.recordName, .equals(.string("r")))),
        ("creationDate > 5", Fixtures.system(.createdTimestamp, .greaterThan(Fixtures.time(5)))),
        ("___createTime > 5", Fixtures.system(.createdTimestamp, .greaterThan(Fixtures.time(5)))),
        ("modificationDate > 5", Fixtures.system(.modifiedTimestamp, .greaterThan(Fixtures.time(5)))),
        ("modifiedTimestamp > 5", Fixtures.system(.modifiedTimestamp, .greaterThan(Fixtures.time(5)))),
        ("creatorUserRecordID == 'u'", Fixtures.system(.createdUserRecordName, .equals(.string("u")))),
        ("___modifiedBy == 'u'", Fixtures.system(.modifiedUserRecordName, .equals(.string("u")))),
    ])
    func thisIsRead(text: String, expected: Predicate) throws {
        #expect(try Self.parse(text) == expected, "\(text)")
    }

    @Test(
        arguments: [
            ("s == %@", [argument(.string("a' OR 1 == 1"))], f("s", .equals(.string("a' OR 1 == 1")))),
            ("%K == %@", [argument(.string("n")), argument(.int64(1))], one),
            (
                "%K > %@", [argument(.string("creationDate")), argument(.int64(5))],
                Fixtures.system(.createdTimestamp, .greaterThan(Fixtures.time(5)))
            ),
            ("s == %@", [.null], .not(f("s", .exists))),
            ("r == %@", [argument(Fixtures.reference("a"))], f("r", .equals(Fixtures.reference("a")))),
            (
                "recordID == %@", [argument(Fixtures.reference("a"))],
                Fixtures.system(.recordName, .equals(.string("a")))
            ),
            (
                "recordID IN %@", [argument(.list([Fixtures.reference("a")], of: .reference))],
                Fixtures.system(.recordName, .isIn([.string("a")]))
            ),
            ("x IN %@", [argument(.list([.int64(1)], of: .int64))], f("x", .isIn([.double(1)]))),
            (
                "n BETWEEN %@", [argument(.list([.int64(1), .int64(2)], of: .int64))],
                .all([f("n", .greaterThanOrEquals(.int64(1))), f("n", .lessThanOrEquals(.int64(2)))])
            ),
            ("n IN {%@, %@}", [argument(.int64(1)), argument(.int64(2))], f("n", .isIn([.int64(1), .int64(2)]))),
            (
                "ANY tags IN %@", [argument(.stringList(["a"]))],
                f("tags", .listContainsAny([.string("a")], .caseInsensitive))
            ),
            ("ANY %@ IN tags", [argument(.string("a"))], f("tags", .listContains(.string("a")))),
            (
                "distanceToLocation:fromLocation:(l, %@) < 1000", [argument(.location(home))],
                f("l", .near(home, metres: 1000, isInclusive: false))
            ),
            (
                "distanceToLocation:fromLocation:(%K,%@) <= %@",
                [argument(.string("l")), argument(.location(home)), argument(.double(0.5))],
                f("l", .near(home, metres: 0.5, isInclusive: true))
            ),
            (
                "1000 > distanceToLocation:fromLocation:(l, %@)", [argument(.location(home))],
                f("l", .near(home, metres: 1000, isInclusive: false))
            ),
            (
                "distanceToLocation:fromLocation:(l, %@) > 10", [argument(.location(home))],
                .all([f("l", .exists), .not(f("l", .near(home, metres: 10, isInclusive: true)))])
            ),
            (
                "self CONTAINS %@", [argument(.string("a b"))],
                .comparison(.init(field: .searchableTexts, relation: .containsAnyTokens(["a b"])))
            ),
        ] as [(String, [GivenPredicate.Argument], Predicate)])
    func argumentsStandForValuesAndFields(
        text: String, arguments: [GivenPredicate.Argument], expected: Predicate
    ) throws {
        #expect(try Self.parse(text, arguments) == expected, "\(text)")
    }

    /// Where the type of records is not known yet, `CONTAINS` means whichever its field turns out to be.
    @Test func anUnknownFieldContainsAMemberOrAPart() throws {
        let predicate = try Self.parse("anything CONTAINS 'art'", typed: false)
        #expect(predicate.holds(for: Fixtures.record(["anything": .string("party")])))
        #expect(predicate.holds(for: Fixtures.record(["anything": .stringList(["ART"])])))
        #expect(!predicate.holds(for: Fixtures.record(["anything": .stringList(["party"])])))
    }

    /// The column counts Unicode scalars from 1; the end is one behind the last.
    @Test(arguments: [
        ("", 1, "expected a field or a value"), ("n", 2, "expected a comparison"),
        ("n ==", 5, "expected a field or a value"),
        ("n == 1 n", 8, "expected AND, OR or the end"), ("n == 1)", 7, "expected AND"), ("(n == 1", 8, "expected ')'"),
        ("n == 1 AND", 11, "expected"), ("n % 1", 3, "%@"), ("n == 'a", 6, "does not end"),
        ("s == 'a\\q'", 8, "escapes"),
        ("s == '\\ud800'", 7, "no character"), ("n == 99999999999999999999", 6, "64 bits"),
        ("n == 1e999", 6, "64 bits"),
        ("n == 12ab", 8, "cannot be followed"), ("n ~ 1", 3, "no meaning"), ("n == # 1", 7, "field's name"),
        ("'é' == s AND s MATCHES 'x'", 16, "MATCHES is not supported"), ("ALL tags == 'a'", 1, "ALL over a field"),
        ("artist.name == 'a'", 7, "key paths"), ("tags[0] == 'a'", 5, "key paths"), ("n + 1 == 2", 3, "arithmetic"),
        ("n == 1 - 2", 8, "arithmetic"), ("SUBQUERY(tags, $x, $x == 1).@count > 0", 1, "SUBQUERY"),
        ("n == $x", 6, "variables"),
        ("FUNCTION(n, 'abs') == 1", 1, "FUNCTION"), ("BLOCKPREDICATE(0x1)", 1, "block"),
        ("abs(n) == 1", 1, "no function"),
        ("n == s", 6, "two fields"), ("1 == 2", 1, "needs a field"), ("in == 1", 1, "#in"),
        ("%@ == 1", 1, "there is none"),
        ("n BETWEEN {1}", 11, "two values"), ("n BETWEEN 1", 11, "expected a list"), ("n IN 1", 6, "expected a list"),
        ("n IN {1 2}", 9, "expected ','"), ("n IN {s}", 7, "expected a value"), ("{1} IN numbers", 1, "ANY or ALL"),
        ("n <[c] 1", 4, "options go with"), ("s ==[x] 'a'", 6, "options are c"),
        ("s BEGINSWITH 5", 14, "expected a string"),
        ("'a' BEGINSWITH s", 1, "field on the left"), ("s > nil", 5, "nil is compared"), ("self == 'a'", 6, "CONTAINS"),
        ("CAST(1, 'NSNumber') < n", 9, "'NSDate'"), ("distanceToLocation:fromLocation:(l, 1) < 5", 37, "LOCATION"),
        ("tokenize('a', 'Cdl') IN self", 1, "ANY or ALL"), ("ANY tags > 1", 10, "ANY over a field goes with"),
        // What the schema says, at the comparison it is about.
        ("n == 1 AND nothing == 1", 12, "no field 'nothing'"), ("n == 'a'", 1, "INT64, not STRING"),
        ("n == 1.5", 1, "INT64, not DOUBLE"), ("tags == 'a'", 1, "CONTAINS or ANY"), ("ANY n == 1", 1, "only a list"),
        ("n CONTAINS 'a'", 1, "CONTAINS looks into"), ("tags BEGINSWITH 'a'", 1, "ANY before"),
        ("n LIKE '1'", 1, "LIKE looks at"),
        ("b == 'AA=='", 1, "BYTES cannot be compared"), ("ANY tokenize('a', '') IN n", 1, "words are looked for"),
        ("n == CAST(0, 'NSDate')", 1, "INT64, not TIMESTAMP"), ("numbers CONTAINS 'a'", 1, "STRING"),
    ])
    func thisIsRefusedAtItsColumn(text: String, column: Int, words: String) {
        let failure = #expect(throws: CloudError.self) { try Self.parse(text) }
        #expect(failure?.code == .badRequest)
        #expect(failure?.reason.contains("column \(column)") == true, "\(text): \(failure?.reason ?? "")")
        #expect(failure?.reason.contains(words) == true, "\(text): \(failure?.reason ?? "")")
    }

    @Test func argumentsAndTheirPlacesAreAsMany() {
        let failure = #expect(throws: CloudError.self) {
            try Self.parse("n == 1", [Self.argument(.int64(1))])
        }
        #expect(failure?.reason.contains("has 1 elements, but the predicate takes 0") == true)
    }

    @Test(arguments: ["a.b", "1a", ""])
    func aFieldByArgumentIsAName(name: String) {
        #expect(throws: CloudError.self) { try Self.parse("%K == 1", [Self.argument(.string(name))]) }
    }

    /// A subscription outlives the moment.
    @Test func nowIsRefusedWithoutATime() {
        let failure = #expect(throws: CloudError.self) { try Self.parse("t < now()", time: nil) }
        #expect(failure?.reason.contains("column 5") == true)
    }

    /// docs/cloudkit.md#predicates, both tables.
    @Test(arguments: [
        ("n == 1 OR n == 2", "OR"), ("NOT (n == 1 AND n == 2)", "NOT over AND"),
        ("NOT self CONTAINS 'a'", "NOT over a token search"),
        ("NOT n BETWEEN {1, 2}", "NOT over BETWEEN"), ("s ENDSWITH 'a'", "ENDSWITH"), ("s LIKE 'a'", "LIKE"),
        ("s CONTAINS 'a'", "CONTAINS on a STRING"), ("s ==[c] 'a'", "[c] and [d]"), ("s == nil", "nil"),
        ("NONE tags == 'a'", "NONE"),
        ("ALL {'a'} IN tags", "ALL"),
    ])
    func cloudKitsSubsetRefusesForeignForms(text: String, words: String) {
        #expect(throws: Never.self) { try Self.parse(text) }
        let failure = #expect(throws: CloudError.self) { try Self.parse(text, allows: .cloudKitSubset) }
        #expect(failure?.reason.contains(words) == true && failure?.reason.contains("CloudKit") == true)
    }

    @Test(arguments: [
        "TRUEPREDICATE", "n == 1 AND s BEGINSWITH 'a'", "n BETWEEN {1, 2}", "NOT n == 1", "NOT (s BEGINSWITH 'a')",
        "n IN {1}",
        "tags CONTAINS 'a'", "ANY tags IN {'a'}", "self CONTAINS 'a b'", "ALL tokenize('a', 'Cdl') IN allTokens",
        "creationDate > 5",
        "t < now()", "NOT n IN {1}",
    ])
    func cloudKitsSubsetIsTaken(text: String) throws {
        #expect(try Self.parse(text, allows: .cloudKitSubset) == Self.parse(text))
    }

    /// A poisonous predicate is refused at once.
    @Test(arguments: [
        String(repeating: "(", count: 10_000), String(repeating: "NOT ", count: 4000) + "n == 1",
        String(repeating: "(n == 1 OR n == 2 AND ", count: 12) + "n == 1" + String(repeating: ")", count: 12),
        Array(repeating: "n == 1", count: 201).joined(separator: " OR "), String(repeating: " ", count: 20_000),
        "n IN {" + Array(repeating: "1", count: 1001).joined(separator: ",") + "}",
        "s LIKE '" + String(repeating: "*", count: 257) + "'",
    ])
    func predicatesOverTheLimitAreRefused(text: String) {
        let failure = #expect(throws: CloudError.self) { try Self.parse(text) }
        #expect(failure?.code == .badRequest)
    }

    @Test func predicatesAtTheLimitAreAccepted() throws {
        let nested = String(repeating: "(", count: 16) + "n == 1" + String(repeating: ")", count: 16)
        #expect(try Self.parse(nested) == Self.one)
        let many = Array(repeating: "n == 1", count: 200).joined(separator: " OR ")
        #expect(try Self.parse(many) == .any(Array(repeating: Self.one, count: 200)))
    }
}
