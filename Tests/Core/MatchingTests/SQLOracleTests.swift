import CloudModel
import Matching
import TestSupport
import Testing

import class Foundation.ProcessInfo

/// Evaluation held against SQLite over generated pairs of predicate and record. A failure prints its seed, which is the
/// test's argument.
@Suite struct SQLOracleTests {
    @Test(arguments: 1...25)
    func evaluationAgreesWithSQL(seed: UInt64) throws {
        var random = RandomPredicates(random: SeededGenerator(seed: seed))
        let records = (0..<60).map { random.record($0 % 3) }
        let oracle = try SQLOracle(records)
        for _ in 0..<60 {
            let predicate = random.predicate()
            let found = records.indices.filter { predicate.holds(for: records[$0]) }
            let expected = try oracle.matches(predicate)
            guard found != expected else { continue }
            let wrong = Set(found).symmetricDifference(expected).min()!
            Issue.record("seed \(seed): \(predicate) on \(records[wrong].fields.entries), zone \(records[wrong].zone)")
        }
    }

    /// The same for the index, which shares no code with SQLite and little with the walk.
    @Test func theIndexAgreesWithSQL() throws {
        var seed = Self.firstSeed
        var compared = 0
        while compared < Self.pairs {
            compared += try Self.compareIndex(seed: seed)
            seed += 1
        }
        print("index = SQLite: \(compared) pairs, seeds \(Self.firstSeed) to \(seed - 1)")
    }

    private static let pairs =
        ProcessInfo.processInfo.environment["FANFARE_PROPERTY_COUNT"].flatMap { Int($0) } ?? 100_000
    private static let firstSeed =
        ProcessInfo.processInfo.environment["FANFARE_PROPERTY_SEED"].flatMap { UInt64($0) } ?? 1

    /// Compares all pairs of some predicates and records; how many.
    private static func compareIndex(seed: UInt64) throws -> Int {
        var random = RandomPredicates(random: SeededGenerator(seed: seed))
        let records = (0..<60).map { random.record($0 % 3) }
        let predicates = (0..<60).map { _ in random.predicate() }
        let oracle = try SQLOracle(records)
        var index = SubscriptionIndex()
        for (id, predicate) in predicates.enumerated() { index.insert(subscription(predicate, id), id: id) }
        // A removed subscription that is filed again is in another place.
        for id in stride(from: 0, to: 60, by: 7) { index.insert(subscription(predicates[id], id), id: id) }
        var expected = Array(repeating: [Int](), count: records.count)
        for (id, predicate) in predicates.enumerated() {
            for position in try oracle.matches(predicate) { expected[position].append(id) }
        }
        for (position, record) in records.enumerated() {
            let found = index.matches(of: change(record))
            guard found != expected[position] else { continue }
            let wrong = Set(found).symmetricDifference(expected[position]).min()!
            Issue.record("seed \(seed): \(predicates[wrong]) on \(record.fields.entries), zone \(record.zone)")
        }
        return predicates.count * records.count
    }

    private static func subscription(_ predicate: Predicate, _ id: Int) -> Subscription {
        Subscription(
            key: SubscriptionKey(user: Fixtures.alice, database: .public, id: SubscriptionID(trusted: "\(id)")),
            condition: Subscription.Condition(
                query: Query(
                    recordType: RecordType(trusted: "Artwork"), filters: [],
                    written: WrittenPredicate(text: "", argumentsJSON: nil, tree: predicate)),
                zone: nil, firesOn: .create, firesOnce: false),
            notificationInfo: NotificationInfo())
    }

    private static func change(_ record: Record) -> Change {
        Change(
            sequence: CommitSequence(1), lastSubscription: .zero, database: .public, kind: .created, before: nil,
            after: record, committed: Timestamp(milliseconds: 1),
            origin: Origin(user: Fixtures.bob, device: nil, epoch: nil))
    }

    /// The oracle is of use only when neither side says always yes or always no.
    @Test func generatedPairsMatchNeitherAlwaysNorNever() {
        var random = RandomPredicates(random: SeededGenerator(seed: 4711))
        let records = (0..<60).map { random.record($0) }
        var matches = 0
        for _ in 0..<200 {
            let predicate = Predicate.comparison(simple(&random))
            matches += records.count { predicate.holds(for: $0) }
        }
        #expect((200 * 60 / 50)...(200 * 60 / 2) ~= matches)
    }

    private func simple(_ random: inout RandomPredicates) -> Predicate.Comparison {
        while true { if case .comparison(let comparison) = random.predicate(depth: 0) { return comparison } }
    }
}
