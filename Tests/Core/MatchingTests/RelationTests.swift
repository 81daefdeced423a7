import CloudModel
import Matching
import TestSupport
import Testing

/// The relations that predicate strings and the rarer comparators bring: docs/cloudkit.md#dictionaries.
@Suite struct RelationTests {
    typealias Relation = Predicate.Relation
    private static let both: Predicate.StringOptions = [.caseInsensitive, .diacriticInsensitive]

    private func holds(_ relation: Relation, _ value: FieldValue) -> Bool {
        Fixtures.comparison("f", relation).holds(for: Fixtures.record(["f": value]))
    }

    @Test(arguments: [
        (Relation.equals(.string("Resume"), []), "resume", false), (.equals(.string("resume"), both), "RÉSUMÉ", true),
        (.equals(.string("résumé"), .diacriticInsensitive), "re\u{301}sume", true),
        (.equals(.string("Resume"), .diacriticInsensitive), "résumé", false),
        // What Unicode does not decompose is another letter.
        (.equals(.string("o"), both), "ø", false), (.equals(.string("ss"), both), "ß", true),
        (.equals(.string("i"), both), "İ", true), (.equals(.string("か"), .diacriticInsensitive), "が", true),
        (.beginsWith("가", .diacriticInsensitive), "각", false), (.equals(.string("각"), both), "각", true),
        (.equals(.string("कि"), both), "की", false), (.equals(.string("ΰ"), both), "Υ", true),
        (.beginsWith("EL", both), "élan", true), (.beginsWith("EL", .caseInsensitive), "élan", false),
        (.endsWith("an", []), "élan", true), (.endsWith("AN", []), "élan", false),
        (.endsWith("AN", .caseInsensitive), "élan", true),
        (.endsWith("", []), "", true), (.endsWith("ab", []), "b", false),
        (.containsText("la", []), "élan", true), (.containsText("ELA", both), "élan", true),
        (.containsText("", []), "", true),
        (.containsText("aab", []), "aaab", true), (.containsText("abab", []), "abaabab", true),
        (.containsText("abc", []), "abab", false),
        (.like("", []), "", true), (.like("*", []), "", true), (.like("?", []), "", false), (.like("?", []), "é", true),
        (.like("a*", []), "abc", true), (.like("*c", []), "abc", true), (.like("a*c", []), "ac", true),
        (.like("a*c", []), "acb", false),
        (.like("a?c", []), "abc", true), (.like("a?c", []), "ac", false), (.like("*b*", []), "abc", true),
        (.like("b", []), "abc", false),
        (.like("A*", []), "abc", false), (.like("A*", .caseInsensitive), "abc", true),
        (.like("E*", both), "élan", true),
        (.like("a\\*", []), "a*", true), (.like("a\\*", []), "ab", false), (.like("\\?", []), "?", true),
        (.like("a\\\\", []), "a\\", true),
        (.like("a\\b", []), "a\\b", true), (.like("**a**", []), "xax", true), (.like("*a*b*c*", []), "xaxbxcx", true),
        (.like("*a*b*c*", []), "xcxbxax", false), (.like("[ab]%_", []), "[ab]%_", true),
        (.like("[ab]", []), "a", false),
    ])
    func strings(relation: Relation, text: String, expected: Bool) {
        #expect(holds(relation, .string(text)) == expected)
    }

    @Test(arguments: [
        Relation.beginsWith("", []), .endsWith("", []), .containsText("", []), .like("*", []),
        .listContainsAny([.int64(1)], []), .listContainsAll([], []), .listMemberBeginsWith("", []),
        .containsAllTokens(["a"]), .near(Location(latitude: 0, longitude: 0), metres: 1e9, isInclusive: true),
    ])
    func aValueOfAnotherKindSatisfiesNone(relation: Relation) {
        #expect(!holds(relation, .int64(1)))
        #expect(!Fixtures.comparison("absent", relation).holds(for: Fixtures.record()))
    }

    /// Patterns longer than a word of states, and those that take a backtracking matcher exponential time.
    @Test(.hangGuard) func longPatternsMatchInLinearTime() {
        let a = String(repeating: "a", count: 130)
        #expect(holds(.like(TextPattern(a + "*?"), []), .string(a + "b")))
        #expect(!holds(.like(TextPattern(a + "*?"), []), .string(a)))
        #expect(
            holds(.like(TextPattern(String(repeating: "?", count: 64)), []), .string(String(repeating: "x", count: 64)))
        )
        #expect(
            !holds(
                .like(TextPattern(String(repeating: "?", count: 64)), []), .string(String(repeating: "x", count: 65))))
        let poison = String(repeating: "a*", count: 127) + "b"
        let text = String(repeating: "a", count: 100_000)
        // Backtracking would not end before the test's limit.
        #expect(!holds(.like(TextPattern(poison), []), .string(text)))
    }

    @Test(arguments: [
        (Relation.listContainsAny([.string("B"), .string("x")], .caseInsensitive), true),
        (.listContainsAny([.string("x")], .caseInsensitive), false), (.listContainsAny([], .caseInsensitive), false),
        (.listContainsAll([.string("B"), .string("a")], .caseInsensitive), true),
        (.listContainsAll([.string("a"), .string("x")], .caseInsensitive), false),
        (.listContainsAll([], .caseInsensitive), true),
        (.listContainsAll([.string("A")], []), false), (.listContains(.string("É"), both), true),
        (.listMemberBeginsWith("él", []), true), (.listMemberBeginsWith("EL", both), true),
        (.listMemberBeginsWith("x", []), false),
        (.listMemberBeginsWith("EL", []), false), (.exists, true), (.isIn([.string("a")], []), false),
    ])
    func lists(relation: Relation, expected: Bool) {
        #expect(holds(relation, .stringList(["a", "b", "élan", "e"])) == expected)
    }

    @Test func listsOfOtherTypes() {
        #expect(holds(.listContainsAll([.double(1), .int64(2)], []), .list([.int64(2), .int64(1)], of: .int64)))
        #expect(holds(.listContains(Fixtures.reference("a"), []), .list([Fixtures.reference("a")], of: .reference)))
        let place = Location(latitude: 1, longitude: 2, altitude: 3)
        #expect(holds(.equals(.location(Location(latitude: 1, longitude: 2)), []), .location(place)))
    }

    /// Expected distances by the haversine formula with a radius of 6,371,008.8 m, computed with Python.
    @Test(arguments: [
        (52.5200, 13.4050, 48.8566, 2.3522, 877_464.5), (0.0, 0.0, 0.0, 1.0, 111_195.1),
        (0.0, 179.5, 0.0, -179.5, 111_195.1),
        (90.0, 0.0, -90.0, 0.0, 20_015_114.4), (10.0, 10.0, 10.0, 10.0, 0.0), (0.0, 0.0, 0.0, 180.0, 20_015_114.4),
        (52.52, 13.405, 52.52001, 13.405, 1.1),
    ])
    func near(latitude: Double, longitude: Double, otherLatitude: Double, otherLongitude: Double, metres: Double) {
        let here = Location(latitude: latitude, longitude: longitude)
        let there = Location(latitude: otherLatitude, longitude: otherLongitude, altitude: 5000)
        #expect(abs(here.distance(to: there) - metres) < 0.1)
        #expect(here.distance(to: there) == there.distance(to: here))
        let exact = here.distance(to: there)
        #expect(holds(.near(here, metres: exact, isInclusive: true), .location(there)))
        #expect(!holds(.near(here, metres: exact, isInclusive: false), .location(there)))
        #expect(holds(.near(here, metres: exact + 0.1, isInclusive: false), .location(there)))
    }

    // MARK: Words

    @Test(arguments: [
        ("", []), ("The quick, brown fox's", ["the", "quick", "brown", "fox", "s"]),
        ("Été à l’ÎLE", ["ete", "a", "l", "ile"]),
        ("Straße 66b", ["strasse", "66b"]), ("a_b-c", ["a", "b", "c"]), ("東京 タワー", ["東京", "タワー"]),
        ("e\u{301}te\u{301}", ["ete"]),
        ("हिन्दी", ["हिनदी"]), ("٣٤ x²", ["٣٤", "x²"]), ("😀 ok", ["ok"]),
    ])
    func wordsAreRunsOfLettersAndDigits(text: String, words: [String]) { #expect(Words.of(text) == words) }

    @Test("the different words of texts are those of each text, however many they are", arguments: 1...20)
    func differentWords(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let parts = ["a", "Été", "東", "京", "e\u{301}", "é", "ß", "ss", "66", "-", " ", "\n", "😀", "n"]
        let texts = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            (0..<Int.random(in: 0...3000, using: &random)).map { number in
                parts.randomElement(using: &random)!
                    + (number % 3 == 0 ? " \(Int.random(in: 0...500, using: &random)) " : "")
            }.joined()
        }
        let expected = Words.unique(texts.flatMap(Words.of))
        // Compared by bytes: composed and decomposed letters are different words.
        let bytes = { (words: [String]) in words.map { Array($0.utf8) } }
        #expect(bytes(Words.unique(of: texts)) == bytes(expected), "seed \(seed)")
        #expect(bytes(Words.united(texts.map { Words.unique(of: [$0]) })) == bytes(expected), "seed \(seed)")
    }

    @Test(arguments: [
        (Relation.containsAllTokens(["BROWN quick"]), true), (.containsAllTokens(["brown dog"]), false),
        (.containsAllTokens(["the brown"]), true), (.containsAllTokens(["not brown"]), true),
        (.containsAllTokens(["the"]), false),
        (.containsAllTokens([""]), false), (.containsAnyTokens(["dog fóx"]), true),
        (.containsAnyTokens(["dog"]), false),
        (.containsAnyTokens(["the"]), false), (.containsAnyTokens(["bro"]), false),
        (.containsAllTokens(["brown", "quick"]), true),
    ])
    func aSearchOverlooksCaseMarksAndStopWords(relation: Relation, expected: Bool) {
        #expect(holds(relation, .string("The quick brown fox")) == expected)
        #expect(holds(relation, .stringList(["The quick", "brown fox"])) == expected)
    }

    @Test func aSearchOfAllTextsLooksIntoAllOrTheSearchableOnes() {
        let record = Fixtures.record(["a": .string("quick"), "b": .stringList(["brown"]), "n": .int64(5)])
        func finds(_ relation: Relation, _ searchable: Set<FieldName>? = nil) -> Bool {
            Predicate.comparison(.init(field: .searchableTexts, relation: relation)).holds(
                for: record, searchable: searchable)
        }
        #expect(finds(.containsAllTokens(["brown quick"])))
        #expect(finds(.containsAnyTokens(["brown dog"])))
        #expect(!finds(.containsAllTokens(["5"])))
        #expect(!finds(.containsAllTokens(["brown quick"]), [FieldName(trusted: "a")]))
        #expect(finds(.containsAnyTokens(["brown quick"]), [FieldName(trusted: "a")]))
        #expect(!finds(.exists))
    }

    // MARK: Filters

    @Test(arguments: [
        (Comparator.notIn, Filter.Operand.values([.string("A")], of: .string), "s", false),
        (.notIn, .values([.string("b")], of: .string), "s", true),
        (.notIn, .values([.string("b")], of: .string), "absent", true),
        (.notBeginsWith, .value(.string("a")), "s", false), (.notBeginsWith, .value(.string("A")), "s", true),
        (.notListContains, .value(.string("X")), "l", false), (.notListContains, .value(.string("z")), "l", true),
        (.listContainsAny, .values([.string("X"), .string("z")], of: .string), "l", true),
        (.notListContainsAny, .values([.string("X"), .string("z")], of: .string), "l", false),
        (.listContainsAll, .values([.string("X"), .string("y")], of: .string), "l", true),
        (.listContainsAll, .values([.string("X"), .string("z")], of: .string), "l", false),
        (.notListContainsAll, .values([.string("X"), .string("z")], of: .string), "l", true),
        (.notListContainsAll, .values([.string("X")], of: .string), "absent", true),
        (.listMemberBeginsWith, .value(.string("x")), "l", true),
        (.notListMemberBeginsWith, .value(.string("x")), "l", false),
        (.containsAllTokens, .value(.string("A")), "s", false),
        (.containsAnyTokens, .value(.string("b abc")), "s", false),
    ])
    func comparatorsOfLists(comparator: Comparator, operand: Filter.Operand, field: String, expected: Bool) throws {
        let filter = Filter(field: .field(FieldName(trusted: field)), comparator: comparator, operand: operand)
        let query = Query(recordType: RecordType(trusted: "Artwork"), filters: [filter])
        try FilterValidator.validate(query)
        let record = Fixtures.record(["s": .string("a"), "l": .stringList(["x", "y"])])
        #expect(query.predicate.holds(for: record) == expected)
    }
}
