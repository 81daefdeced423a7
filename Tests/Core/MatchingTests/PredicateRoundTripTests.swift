import CloudMessages
import CloudModel
import Matching
import ProtocolBuffers
import TestSupport
import Testing

/// Trees survive being stored, and being written as predicate strings. A failure prints its seed.
@Suite struct PredicateRoundTripTests {
    @Test(arguments: 1...20)
    func storedPredicatesAreReadBack(seed: UInt64) throws {
        var random = RandomPredicates(random: SeededGenerator(seed: seed))
        for _ in 0..<50 {
            let predicate = random.anyPredicate()
            let bytes = PredicateMessage(predicate).encoded()
            let again = try PredicateMessage(decoding: bytes).predicate()
            #expect(again == predicate, "seed \(seed)")
            #expect(PredicateMessage(again).encoded() == bytes, "seed \(seed)")
        }
    }

    @Test(arguments: 1...20)
    func writtenPredicatesAreReadBack(seed: UInt64) throws {
        var random = RandomPredicates(random: SeededGenerator(seed: seed))
        for _ in 0..<50 {
            let predicate = random.anyPredicate()
            var printer = PredicatePrinter()
            let text = printer.text(predicate)
            let given = GivenQuery(
                recordType: RecordType(trusted: "T"), filters: [],
                predicate: GivenPredicate(text: text, arguments: printer.arguments))
            let query = try QueryValidator.query(given, types: nil, time: nil)
            #expect(query.predicate == predicate, "seed \(seed): \(text)")
        }
    }

    /// The deepest tree that the parser lets through, with the deepest value in it, within the deepest message.
    @Test func theDeepestPredicateIsReadBack() throws {
        let reference = FieldValue.reference(
            Reference(recordName: RecordName(trusted: "a"), zone: .publicDefault, action: .none))
        var text = "r == %@"
        for _ in 0..<8 { text = "TRUEPREDICATE AND NOT (\(text))" }
        text = text.replacing("r == %@", with: "NONE r IN {%@}")
        // Sixteen levels of AND and NOT leave no room for NONE's.
        #expect(throws: CloudError.self) { try read(text, reference) }
        let deepest = text.replacing("NONE r", with: "ANY r")
        let query = try read(deepest, reference)
        let condition = Subscription.Condition(query: query, zone: nil, firesOn: .create, firesOnce: false)
        let key = SubscriptionKey(user: Fixtures.alice, database: .public, id: SubscriptionID(trusted: "s"))
        let saved = SavedSubscription(
            subscription: Subscription(
                key: key, condition: condition, notificationInfo: NotificationInfo(alertBody: nil)),
            created: CommitSequence(1), saved: CommitSequence(1))
        let event = SubscriptionEvent(saved: saved, store: 1)
        #expect(try SubscriptionEvent(decoding: event.encoded()).saved() == saved)
    }

    private func read(_ text: String, _ argument: FieldValue) throws(CloudError) -> Query {
        try QueryValidator.query(
            GivenQuery(
                recordType: RecordType(trusted: "T"), filters: [],
                predicate: GivenPredicate(
                    text: text, arguments: [.value(GivenValue(argument, isTypeExplicit: true))], argumentsJSON: "[]")),
            types: nil, time: nil)
    }

    @Test func conditionsAreComparedWithoutTheirWording() throws {
        func condition(_ text: String) throws -> Subscription.Condition {
            Subscription.Condition(
                query: try read("\(text) AND r == %@", Fixtures.reference("a")), zone: nil, firesOn: .create,
                firesOnce: false)
        }
        #expect(try condition("n == 1").identity == condition("1  =  n").identity)
        #expect(try condition("n == 1").identity != condition("n == 2").identity)
        #expect(try condition("n == 1") != condition("1  =  n"))
    }
}
