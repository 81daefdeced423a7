import CloudModel
import TestSupport
import Testing

@testable import Matching

/// The index takes any number of names, shapes and operands, and gives back what it no longer uses.
@Suite struct IndexBoundsTests {
    private static func subscription(_ predicate: Predicate, _ changedKeys: [FieldName] = []) -> Subscription {
        Subscription(
            key: SubscriptionKey(user: Fixtures.alice, database: .public, id: SubscriptionID(trusted: "s")),
            condition: Subscription.Condition(
                query: Query(
                    recordType: RecordType(trusted: "Artwork"), filters: [],
                    written: WrittenPredicate(text: "", argumentsJSON: nil, tree: predicate)), zone: nil,
                firesOn: [.create, .update, .delete], firesOnce: false, changedKeys: changedKeys),
            notificationInfo: NotificationInfo())
    }

    private static func creation(_ fields: [String: FieldValue], number: Int64 = 1) -> Change {
        Change(
            sequence: CommitSequence(number), lastSubscription: .zero, database: .public, kind: .created, before: nil,
            after: Fixtures.record(fields), committed: Timestamp(milliseconds: 1),
            origin: Origin(user: Fixtures.alice, device: nil, epoch: nil), reader: .world)
    }

    private static func names(_ first: Int, _ count: Int) -> [String] { (first..<first + count).map { "f\($0)" } }

    /// Tests of many fields each, more fields together than there are slots; then records with those beyond.
    @Test(arguments: [(70_000, 65_536), (2000, 64), (600, 6), (600, 0)])
    func moreFieldsThanSlotsAreMatchedAllTheSame(fields: Int, slots: Int) {
        var index = SubscriptionIndex(slotsMax: slots)
        let each = 200
        for number in 0..<fields / each {
            let tests = Self.names(number * each, each).map { Fixtures.comparison($0, .equals(.int64(1))) }
            index.insert(Self.subscription(.any(tests)), id: number)
        }
        let used = index.vocabulary.slots.count
        #expect(used <= max(slots, FieldSlots.firstField))
        for first in [0, slots / 2, max(0, slots - 300), fields - each] {
            let record = Self.creation(
                Dictionary(uniqueKeysWithValues: Self.names(first, each).map { ($0, .int64(1)) }))
            let expected = Set((first..<first + each).map { $0 / each }.filter { $0 < fields / each })
            #expect(index.matches(of: record) == expected.sorted())
        }
        let all = Dictionary(uniqueKeysWithValues: Self.names(0, fields).map { ($0, FieldValue.int64(1)) })
        #expect(index.matches(of: Self.creation(all)).count == fields / each)
        for number in 0..<fields / each { index.remove(id: number) }
        let isVacant = index.isVacant
        #expect(isVacant, "field names are left behind")
    }

    /// A slot that is free again is another field's, and nothing of the first one shows.
    @Test func slotsAreUsedAgain() {
        var index = SubscriptionIndex(slotsMax: 16)
        for round in 0..<50 {
            for number in 0..<4 {
                let name = "r\(round)n\(number)"
                index.insert(
                    Self.subscription(
                        .all([
                            Fixtures.comparison(name, .containsText("dog", [])),
                            Fixtures.comparison("x", .greaterThan(.int64(3))),
                        ]), number == 0 ? [FieldName(trusted: name)] : []), id: number)
            }
            let fields: [String: FieldValue] = [
                "r\(round)n1": .string("a dog"), "r\(round - 1)n2": .string("a dog"), "x": .int64(4),
            ]
            #expect(index.matches(of: Self.creation(fields)) == [1])
            let used = index.vocabulary.slots.count
            #expect(used <= 16)
        }
        for number in 0..<4 { index.remove(id: number) }
        let isVacant = index.isVacant
        #expect(isVacant)
    }

    /// Programs of any length are programs: jumps go as far as they have to.
    @Test func longProgramsJumpFar() {
        var random = RandomSubscriptions(random: SeededGenerator(seed: 5))
        for step in 0..<10 {
            var index = SubscriptionIndex()
            var reference = ReferenceMatcher()
            for id in 0..<4 {
                let parts = (0..<40).map { _ in random.predicate(depth: 2) }
                let halves = [Predicate.any(Array(parts[..<20])), .not(.all(Array(parts[20...])))]
                var subscription = random.subscription(id)
                subscription.condition.query.written = WrittenPredicate(
                    text: "", argumentsJSON: nil, tree: id % 2 == 0 ? .all(halves) : .any(halves + [.all(parts)]))
                index.insert(subscription, id: id)
                reference.insert(subscription, id: id)
            }
            for number in 0..<20 {
                let change = random.change(number)
                #expect(index.matches(of: change) == reference.matches(of: change), "step \(step)")
            }
            for id in 0..<4 { index.remove(id: id) }
            let isVacant = index.isVacant
            #expect(isVacant, "step \(step)")
        }
    }

    /// Texts so long, and searches so many, that all that helps them begins.
    @Test(arguments: 1...3) func longTextsAreSearchedAsTheWalkSearchesThem(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabets = ["ab", "abcdefgh ", "aAéÉ ", "가각ㄱ ", "😀👨‍👩‍👧 ", "ßSsﬃ ", "a\u{301}\u{302}"]
        let alphabet = Array(alphabets[Int(seed) % alphabets.count].unicodeScalars)
        func text(_ length: Int) -> String {
            var view = String.UnicodeScalarView()
            for _ in 0..<length { view.append(alphabet.randomElement(using: &random)!) }
            return String(view)
        }
        var index = SubscriptionIndex()
        var reference = ReferenceMatcher()
        for id in 0..<120 {
            let tests = (0..<4).map { number -> Predicate in
                let options = Predicate.StringOptions(rawValue: UInt32.random(in: 0..<4, using: &random))
                let part = text(Int.random(in: 0..<12, using: &random))
                let test: Predicate.Relation =
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0: .like(TextPattern("*\(part)*"), options)
                    case 1: .containsAllTokens([part])
                    case 2: .listMemberBeginsWith(part, options)
                    case 3: .listContains(.string(part), options)
                    default: .containsText(part, options)
                    }
                let leaf = Fixtures.comparison(["a", "b"].randomElement(using: &random)!, test)
                return Bool.random(using: &random) ? leaf : .not(leaf)
            }
            let subscription = Self.subscription(id % 3 == 0 ? .any(tests) : .all(tests))
            index.insert(subscription, id: id)
            reference.insert(subscription, id: id)
        }
        for _ in 0..<3 {
            let change = Self.creation([
                "a": .string(text(3000)),
                "b": .stringList((0..<40).map { _ in text(Int.random(in: 0..<6, using: &random)) }),
            ])
            #expect(index.matches(of: change) == reference.matches(of: change))
        }
        for id in 0..<120 { index.remove(id: id) }
        let isVacant = index.isVacant
        #expect(isVacant)
    }

    @Test(arguments: 1...40) func aSuffixArrayFindsEverySubstring(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let letters = UInt8(seed % 4 + 1)
        let text = (0..<Int.random(in: 0..<400, using: &random)).map { _ in
            UInt8.random(in: 0..<letters, using: &random)
        }
        text.withUnsafeBufferPointer { text in
            let suffixes = SuffixArray(text)
            for _ in 0..<200 {
                let part = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                    UInt8.random(in: 0...letters, using: &random)
                }
                part.withUnsafeBufferPointer { #expect(suffixes.finds($0, in: text) == text.holds($0)) }
            }
        }
    }
}
