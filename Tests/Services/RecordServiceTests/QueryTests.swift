import CloudModel
import Cryptography
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// What queries refuse, their markers, and the limits of a page (docs/cloudkit.md#queries).
@Suite struct QueryTests {
    private static let type = RecordType(trusted: "T")
    private let markers = QueryMarkers(.generate())

    private func query(
        _ rig: RecordServiceRig, _ filters: [GivenFilter] = [], _ sorts: [Sort] = [], type: String = "T",
        limit: Int = 200,
        marker: String? = nil, zones: RecordQuery.Zones = .one(.default),
        in database: DatabaseScope = .public, as caller: Caller? = nil
    ) async throws -> RecordQueryPage {
        try await rig.service.queryRecords(
            RecordQuery(
                query: GivenQuery(recordType: RecordType(trusted: type), filters: filters), sorts: sorts, zones: zones,
                limit: limit, marker: marker), in: database, markers: markers, for: caller ?? rig.alice)
    }

    private func refusal(_ body: () async throws -> RecordQueryPage) async -> String? {
        do {
            _ = try await body()
            return nil
        } catch let error as CloudError {
            return error.description
        } catch {
            return "\(error)"
        }
    }

    private func sort(_ field: String, ascending: Bool = true) -> Sort {
        Sort(field: .field(FieldName(trusted: field)), isAscending: ascending)
    }

    /// Production has the indexes that were promoted and no others.
    @Test func productionRefusesQueriesWithoutTheirIndex() async throws {
        let rig = try await RecordServiceRig(.production)
        let (type, n, s) = (Self.type, FieldName(trusted: "n"), FieldName(trusted: "s"))
        try await rig.service.store.write { transaction in
            try transaction.define(type)
            try transaction.define(n, as: .int64, in: type)
            try transaction.define(s, as: .string, in: type)
        }
        func set(_ indexes: FieldIndexes, _ field: FilterField) async throws {
            try await rig.service.store.write { try $0.setIndexes(indexes, of: field, in: type) }
        }
        let one = [GivenFilter.field("n", .equals, .int64(1))]
        let range = [GivenFilter.field("n", .lessThan, .int64(2))]
        let words = [
            GivenFilter(
                field: .searchableTexts, comparator: .containsAnyTokens,
                operand: .value(GivenValue(.string("cat"), isTypeExplicit: true)))
        ]
        let prefix = "BAD_REQUEST: Field "
        #expect(await refusal { try await query(rig) } == prefix + "'recordName' is not marked queryable")
        #expect(await refusal { try await query(rig, one) } == prefix + "'n' is not marked queryable")
        #expect(await refusal { try await query(rig, words) } == prefix + "'self' is not marked searchable")
        try await set(.queryable, .field(n))
        #expect(await refusal { try await query(rig, one) } == nil)
        #expect(await refusal { try await query(rig, range) } == prefix + "'n' is not marked sortable")
        #expect(await refusal { try await query(rig, one, [sort("n")]) } == prefix + "'n' is not marked sortable")
        try await set([.queryable, .sortable], .field(n))
        #expect(await refusal { try await query(rig, range, [sort("n")]) } == nil)
        try await set(.searchable, .field(s))
        #expect(await refusal { try await query(rig, words) } == nil)
        try await set(.queryable, .system(.recordName))
        #expect(await refusal { try await query(rig) } == nil)
        #expect(await refusal { try await query(rig, type: "Unknown") }?.hasPrefix("BAD_REQUEST: production") == true)
        // Records are indexed by the promoted indexes.
        _ = try await rig.apply(.on("a", .create, ["n": .int64(1), "s": .string("a Cat")]))
        for filters in [one, range, words] { #expect(try await query(rig, filters).records.count == 1) }
    }

    @Test func developmentAnswersBeforeTheFirstRecordOfAType() async throws {
        let rig = try await RecordServiceRig()
        #expect(try await query(rig, [.field("n", .equals, .int64(1))], type: "Unknown").records.isEmpty)
        _ = try await rig.apply(.on("a", .create, ["n": .int64(1)]))
        #expect(
            await refusal { try await query(rig, [.field("m", .equals, .int64(1))]) }?.contains("no field 'm'")
                == true)
        #expect(await refusal { try await query(rig, [], [sort("m")]) }?.contains("no field 'm'") == true)
    }

    /// Queries see earlier saves (docs/choices.md, 12), and no old values of changed or deleted records.
    @Test func aQuerySeesEarlierSaves() async throws {
        let rig = try await RecordServiceRig()
        func found(_ value: Int64) async throws -> [String] {
            try await query(rig, [.field("n", .equals, .int64(value))]).records.map(\.name.rawValue)
        }
        for name in ["a", "b"] { _ = try await rig.apply(.on(name, .create, ["n": .int64(1)])) }
        #expect(try await found(1) == ["a", "b"])
        _ = try await rig.apply(.on("a", .forceUpdate, ["n": .int64(2)]))
        #expect(try await found(1) == ["b"])
        #expect(try await found(2) == ["a"])
        _ = try await rig.apply(.on("a", .forceUpdate, ["n": nil]))
        #expect(try await found(2) == [])
        _ = try await rig.apply(.on("b", .forceDelete))
        #expect(try await found(1) == [])
        // The store's number of a deleted record may be another's now.
        _ = try await rig.apply(.on("c", .create, ["n": .int64(3)]))
        #expect(try await found(1) == [])
        #expect(try await found(2) == [])
        #expect(try await found(3) == ["c"])
    }

    @Test func aMarkerIsGoodForItsQueryOnly() async throws {
        let rig = try await RecordServiceRig()
        for name in ["a", "b", "c"] { _ = try await rig.apply(.on(name, .create, ["n": .int64(1)])) }
        let filters = [GivenFilter.field("n", .equals, .int64(1))]
        let first = try await query(rig, filters, limit: 2)
        #expect(first.records.map(\.name.rawValue) == ["a", "b"])
        let marker = try #require(first.marker)
        let second = try await query(rig, filters, limit: 1, marker: marker)
        #expect(second.records.map(\.name.rawValue) == ["c"] && second.marker == nil)
        let another = "of another query"
        #expect(await refusal { try await query(rig, marker: marker) }?.contains(another) == true)
        #expect(
            await refusal { try await query(rig, filters, [sort("n")], marker: marker) }?.contains(another) == true)
        #expect(
            await refusal { try await query(rig, filters, marker: marker, zones: .all) }?.contains(another) == true)
        #expect(
            await refusal { try await query(rig, filters, marker: marker + "x") }?.hasPrefix(
                "BAD_REQUEST: continuationMarker") == true)
        let others = QueryMarkers(.generate())
        await #expect(throws: CloudError.self) {
            try await rig.service.queryRecords(
                RecordQuery(query: GivenQuery(recordType: Self.type, filters: filters), marker: marker), in: .public,
                markers: others, for: rig.alice)
        }
    }

    @Test func everybodySeesTheirOwnPrivateRecords() async throws {
        let rig = try await RecordServiceRig()
        for (name, caller) in [("a", rig.alice), ("b", rig.bob)] {
            _ = try await rig.apply(.on(name, .create, ["n": .int64(1)]), in: .private, as: caller)
        }
        _ = try await rig.apply(.on("p", .create, ["n": .int64(1)]))
        let filters = [GivenFilter.field("n", .equals, .int64(1))]
        for zones in [RecordQuery.Zones.all, .one(.default)] {
            for (name, caller) in [("a", rig.alice), ("b", rig.bob)] {
                let page = try await query(rig, filters, zones: zones, in: .private, as: caller)
                #expect(page.records.map(\.name.rawValue) == [name])
            }
        }
        #expect(try await query(rig, filters, as: Caller(user: nil)).records.map(\.name.rawValue) == ["p"])
        #expect(
            await refusal { try await query(rig, filters, in: .private, as: Caller(user: nil)) }?
                .hasPrefix("AUTHENTICATION_REQUIRED") == true)
        #expect(
            await refusal {
                try await query(
                    rig, filters, zones: .one(GivenZone(name: .defaultZone, owner: rig.bob.user)), in: .private,
                    as: rig.alice)
            }?.hasPrefix("ZONE_NOT_FOUND") == true)
    }

    @Test(arguments: [0, -1, 201]) func resultsLimitsOutOfRangeAreRefused(_ limit: Int) async throws {
        let rig = try await RecordServiceRig()
        #expect(await refusal { try await query(rig, limit: limit) }?.contains("resultsLimit") == true)
    }

    /// A page of large records is short, and the rest follows.
    @Test func aPageHasABoundInBytes() async throws {
        let rig = try await RecordServiceRig()
        let text = String(repeating: "x", count: 900_000)
        for number in 0..<12 {
            _ = try await rig.apply(.on("r\(number)", .create, ["s": .string(text), "n": .int64(Int64(number))]))
        }
        for sorts in [[], [sort("n", ascending: false)]] {
            var pages: [Int] = []
            var marker: String?
            repeat {
                let page = try await query(rig, [], sorts, marker: marker)
                pages.append(page.records.count)
                marker = page.marker
            } while marker != nil
            #expect(pages.count == 2 && pages.reduce(0, +) == 12, "\(pages)")
        }
    }
}
