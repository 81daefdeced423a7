import CloudModel
import Cryptography
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// Queries over indexes agree with a walk over all records, on random records, predicates and orders
/// (docs/cloudkit.md#predicates).
@Suite struct QueryPropertyTests {
    private static let seeds = TestSeeds.several(6)

    /// All pages of a query, by names.
    static func names(
        _ rig: RecordServiceRig, _ predicate: Predicate, _ sorts: [Sort], limit: Int, type: String = "T",
        bounds: QueryRun.Bounds = QueryRun.Bounds(),
        between: (Int) async throws -> Void = { _ in }
    ) async throws -> [String] {
        var names: [String] = []
        var position: QueryPosition?
        var pages = 0
        repeat {
            let start = position
            let page = try await rig.service.store.read { reader in
                let query = CheckedQuery(
                    type: RecordType(trusted: type), database: .public, zones: [.publicDefault], isOfAllZones: false,
                    predicate: predicate, asked: predicate, order: QueryOrder(sorts: sorts), limit: limit)
                let page = try QueryRun(reader, query, try reader.indexes(of: query.type)!, bounds: bounds)
                    .page(after: start)
                return (page.records.map(\.name.rawValue), page.next)
            }
            names += page.0
            position = page.1
            pages += 1
            try await between(pages)
        } while position != nil && pages < 10_000
        return names
    }

    @Test(arguments: seeds) func queriesAgreeWithAWalkOverAllRecords(_ seed: UInt64) async throws {
        print("seed \(seed)")
        var generator = QueryGenerator(seed: seed)
        let rig = try await RecordServiceRig()
        var model = QueryModel()
        // Known from the start, so that every query may name every field.
        let first = Dictionary(
            uniqueKeysWithValues: QueryGenerator.types.map { ($0.name, FieldValue?.some(generator.value($0.type))) })
        model.save(try #require(try await rig.apply(.on("r0", .create, first, isTypeExplicit: true)).record))
        for step in 0..<400 {
            let name = "r\(generator.below(60))"
            if generator.below(5) == 0 {
                if try await rig.apply(.on(name, .forceDelete)).deleted != nil {
                    model.delete(RecordName(trusted: name))
                }
            } else {
                var fields = generator.fields()
                // Some values go away.
                for (name, _) in QueryGenerator.types where generator.below(8) == 0 { fields[name] = .some(nil) }
                let outcome = try await rig.apply(.on(name, .forceUpdate, fields, isTypeExplicit: true))
                model.save(try #require(outcome.record, "\(outcome)"))
            }
            if generator.flip() { rig.move(by: .seconds(1)) }
            guard step % 10 == 9 else { continue }
            for _ in 0..<12 {
                let (predicate, sorts) = (generator.predicate(), generator.sorts())
                let bounds = QueryRun.Bounds(
                    fewMax: generator.pick([0, 3, 10_000]), scannedMax: generator.pick([1, 5, 10_000]))
                let found = try await Self.names(
                    rig, predicate, sorts, limit: generator.pick([1, 2, 7, 200]), bounds: bounds)
                #expect(
                    found == model.results("T", predicate, sorts), "seed \(seed) step \(step): \(predicate) by \(sorts)"
                )
            }
        }
    }

    /// A record that exists during all pages and does not change is returned exactly once, with any writes between
    /// the pages.
    @Test(arguments: seeds) func pagesStayTrueUnderWrites(_ seed: UInt64) async throws {
        var generator = QueryGenerator(seed: seed)
        let rig = try await RecordServiceRig()
        var steady: Set<String> = []
        for number in 0..<120 {
            let fields: [String: FieldValue?] = [
                "s": .string(generator.pick(QueryGenerator.texts)), "i": .int64(Int64(generator.below(5))),
                "k": .int64(1),
            ]
            _ = try await rig.apply(.on("r\(number)", .create, fields))
            if number % 2 == 0 { steady.insert("r\(number)") }
        }
        let filter = Predicate.comparison(
            .init(field: .field(FieldName(trusted: "k")), relation: .equals(.int64(1), [])))
        let orders: [[Sort]] = [
            [], [Sort(field: .field(FieldName(trusted: "s")), isAscending: generator.flip())],
            [
                Sort(field: .field(FieldName(trusted: "i")), isAscending: generator.flip()),
                Sort(field: .field(FieldName(trusted: "s")), isAscending: generator.flip()),
            ],
        ]
        for (round, order) in orders.enumerated() {
            let bounds = QueryRun.Bounds(fewMax: generator.pick([0, 10_000]), scannedMax: generator.pick([5, 10_000]))
            let found = try await Self.names(rig, filter, order, limit: 9, bounds: bounds) { page in
                for _ in 0..<6 {
                    let name = "r\(generator.below(60) * 2 + 1)"
                    switch generator.below(3) {
                    case 0: _ = try await rig.apply(.on(name, .forceDelete))
                    case 1:
                        _ = try await rig.apply(
                            .on(
                                "n\(round)-\(page)-\(generator.below(99))", .forceUpdate,
                                ["k": .int64(1), "i": .int64(Int64(generator.below(5)))]))
                    default:
                        _ = try await rig.apply(
                            .on(
                                name, .forceUpdate,
                                [
                                    "s": .string(generator.pick(QueryGenerator.texts)),
                                    "i": .int64(Int64(generator.below(5))), "k": .int64(1),
                                ]))
                    }
                }
            }
            for name in steady { #expect(found.count { $0 == name } == 1, "seed \(seed): \(name) by \(order)") }
        }
    }
}
