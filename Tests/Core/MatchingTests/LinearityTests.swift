import CloudModel
import TestSupport
import Testing

@testable import Matching

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Every function of texts takes time of the text's length, in any script. Eight times the text may take 24 times the
/// time, measured a few times, as others use the machine, too.
@Suite(.serialized) struct LinearityTests {
    static let scripts: [(name: String, text: String)] = [
        ("ASCII", "The quick brown Fox "), ("German", "Größe über Straße "),
        ("Japanese", "がぎ日本語カ "),
        ("Hangul", "한국어텍스트"), ("Arabic", "مَرْحَبًا "),
        ("emoji", "👨‍👩‍👧‍👦🏳️‍🌈"), ("marks", "a\u{301}\u{302}\u{303}\u{304}"),
        ("expansions", "ßﬃΐ"),
    ]

    static let functions: [(name: String, body: @Sendable (String) -> Int)] = [
        ("case", { CaseFolding.folded($0).utf8.count }),
        ("marks", { DiacriticFolding.folded($0).utf8.count }),
        ("case and marks", { TextFolding.folded($0, diacritics: true, case: true).utf8.count }),
        ("words", { Words.of($0).count }),
        ("unique words", { Words.unique(Words.of($0)).count }),
        ("words of texts", { Words.unique(of: [$0, $0]).count }),
        ("parts", { TextSearch.contains($0, String($0.unicodeScalars.suffix(50)) + "x") ? 1 : 0 }),
        ("patterns", { LikePattern("*a*?é*がa*x", folded: { $0 }).matches($0) ? 1 : 0 }),
        ("cutting", { $0.cut(to: 4096).utf8.count }),
        ("order", { text in Array(text.utf8).withUnsafeBufferPointer { SuffixArray($0).bytes } }),
        ("difference", { FieldValue.differ(.string($0), .string($0 + "x")) ? 1 : 0 }),
        ("matching", { text in LinearityTests.match(text) }),
    ]

    private static func match(_ text: String) -> Int {
        var index = SubscriptionIndex()
        let options: [Predicate.StringOptions] = [
            [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        ]
        for id in 0..<40 {
            let part = ["quick\(id)", "größe\(id)", "日本\(id)", "x"][id % 4]
            let tests: [Predicate.Relation] = [
                .containsText(part, options[id % 4]), .containsAllTokens([part]),
                .equals(.string(part), options[id % 4]),
                .like(TextPattern("*\(part)*?"), options[id % 4]), .beginsWith(part, options[id % 4]),
            ]
            index.insert(
                Subscription(
                    key: SubscriptionKey(
                        user: Fixtures.alice, database: .public, id: SubscriptionID(trusted: "s\(id)")),
                    condition: Subscription.Condition(
                        query: Query(
                            recordType: RecordType(trusted: "Artwork"), filters: [],
                            written: WrittenPredicate(
                                text: "", argumentsJSON: nil,
                                tree: id % 2 == 0
                                    ? Fixtures.comparison("t", tests[id % 5])
                                    : .not(Fixtures.comparison("t", tests[id % 5])))),
                        zone: nil, firesOn: [.create], firesOnce: false, changedKeys: []),
                    notificationInfo: NotificationInfo()), id: id)
        }
        let change = Change(
            sequence: CommitSequence(1), lastSubscription: .zero, database: .public, kind: .created, before: nil,
            after: Fixtures.record(["t": .string(text)]), committed: Timestamp(milliseconds: 1),
            origin: Origin(user: Fixtures.alice, device: nil, epoch: nil), reader: .world)
        return index.matches(of: change).count
    }

    static func text(_ piece: String, bytes: Int) -> String {
        String(repeating: piece, count: bytes / piece.utf8.count)
    }

    /// Seconds of this thread's own work.
    static func time(_ body: (String) -> Int, _ text: String) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        _ = body(text)
        return now() - start
    }

    @Test(arguments: scripts.indices) func timeIsThatOfTheLength(script: Int) {
        let (name, piece) = Self.scripts[script]
        // Tables are made once.
        for function in Self.functions { _ = function.body(piece) }
        let (short, long) = (Self.text(piece, bytes: 32 << 10), Self.text(piece, bytes: 256 << 10))
        for function in Self.functions {
            var ratio = Double.infinity
            for _ in 0..<6 where ratio > 24 {
                let few = (0..<3).map { _ in Self.time(function.body, short) }.min()!
                let more = Self.time(function.body, long)
                ratio = more < 0.004 ? 0 : more / max(few, 1e-6)
            }
            #expect(ratio <= 24, "\(function.name) of \(name): eight times the text takes \(ratio) times the time")
        }
    }

    /// Folding a prefix gives the prefix of the folded whole.
    @Test(arguments: scripts.indices, [0, 1, 5, 256, 257]) func prefixesAreFoldedSeparately(script: Int, bytes: Int) {
        let text = Self.text(Self.scripts[script].text, bytes: 4096)
        let (whole, part) = (CaseFolding.folded(text), CaseFolding.folded(text, bytesMax: bytes))
        #expect(whole.utf8.starts(with: part.utf8) && part.utf8.count >= min(bytes, whole.utf8.count))
    }

    /// The tables say what the standard library says, for every scalar.
    @Test func everyScalarFoldsAsTheMappingSays() {
        var different: [UInt32] = []
        for number in 0...UInt32(0x1FFFF) {
            guard let scalar = Unicode.Scalar(number) else { continue }
            let text = String(String.UnicodeScalarView([scalar]))
            let isSame =
                Array(ScalarFolding.caseless.folded(text).unicodeScalars) == CaseFolding.folded(scalar)
                && Array(ScalarFolding.markless.folded(text).unicodeScalars) == DiacriticFolding.folded(scalar)
            if !isSame { different.append(number) }
        }
        #expect(different.isEmpty)
    }

    @Test func longOperandsAreRefused() {
        let long = String(repeating: "é", count: Limits.operandBytesMax / 2) + "x"
        let type = RecordType(trusted: "T")
        func code(_ filter: GivenFilter?, _ predicate: GivenPredicate?) -> CloudErrorCode? {
            do throws(CloudError) {
                _ = try QueryValidator.query(
                    GivenQuery(recordType: type, filters: filter.map { [$0] } ?? [], predicate: predicate), types: nil,
                    time: nil)
                return nil
            } catch { return error.code }
        }
        let argument = GivenPredicate.Argument.value(GivenValue(.stringList(["a", long]), isTypeExplicit: true))
        #expect(code(nil, GivenPredicate(text: "a IN %@", arguments: [argument])) == .badRequest)
        #expect(code(nil, GivenPredicate(text: "a == '\(long)'", arguments: [])) == .badRequest)
        #expect(code(nil, GivenPredicate(text: "a == '\(long.dropLast())'", arguments: [])) == nil)
        for operand in [Filter.Operand.value(.string(long)), .values([.string("a"), .string(long)], of: .string)] {
            let comparator: Comparator = if case .value = operand { .equals } else { .in }
            let filter = Filter(field: .field(FieldName(trusted: "a")), comparator: comparator, operand: operand)
            #expect(throws: CloudError.self) {
                try FilterValidator.validate(Query(recordType: type, filters: [filter]))
            }
        }
    }
}
