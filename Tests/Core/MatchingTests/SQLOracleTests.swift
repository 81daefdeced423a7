import CloudModel
import Matching
import TestSupport
import Testing

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
