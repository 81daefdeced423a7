import CloudMessages
import CloudModel
import Cryptography
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// Answers with `valueBytesMax`: long values come cut, and pages count them so.
@Suite struct CutValueTests {
    private static let long = String(repeating: "é", count: 450_000)

    /// Saves records of 900 KB.
    private func rig(_ count: Int, in zone: GivenZone = .default) async throws -> RecordServiceRig {
        let rig = try await RecordServiceRig()
        if zone != .default { _ = try await rig.zone(.create, zone) }
        for number in 0..<count {
            let fields: [String: FieldValue?] = ["n": .int64(Int64(number)), "text": .string(Self.long)]
            let outcome = try await rig.apply(.on("r\(number)", .create, fields), in: .private, zone: zone)
            #expect(outcome.code == nil, "\(outcome)")
        }
        return rig
    }

    private func query(
        _ rig: RecordServiceRig, _ valueBytesMax: Int?, sorts: [Sort] = [], marker: String? = nil,
        predicate: String = "TRUEPREDICATE"
    ) async throws -> RecordQueryPage {
        var query = RecordQuery(
            query: GivenQuery(
                recordType: RecordType(trusted: "T"), filters: [],
                predicate: GivenPredicate(text: predicate)),
            sorts: sorts)
        query.valueBytesMax = valueBytesMax
        query.marker = marker
        return try await rig.service.queryRecords(
            query, in: .private, markers: QueryMarkers(rig.keys), for: rig.alice)
    }

    private func expectCut(_ record: Record, _ bytes: Int) {
        #expect(record.cuts == [FieldName(trusted: "text"): ValueCut(bytes: 900_000)])
        #expect(
            record.fields[FieldName(trusted: "text")] == .string(String(repeating: "é", count: bytes / 2)))
    }

    @Test("a page of a query counts cut values, in every order")
    func queries() async throws {
        let rig = try await rig(30)
        #expect(try await query(rig, nil).records.count == 10)
        let number = Sort(field: .field(FieldName(trusted: "n")), isAscending: false)
        for sorts in [[], [number]] {
            let page = try await query(rig, 4096, sorts: sorts)
            #expect(page.records.count == 30 && page.marker == nil)
            for record in page.records { expectCut(record, 4096) }
        }
        // Conditions see the whole value.
        let found = try await query(rig, 100, predicate: "text ENDSWITH 'éé' AND n < 3")
        #expect(found.records.count == 3)
    }

    @Test("a page ends where its records have too many bytes in the store, and all pages have each record once")
    func scanned() async throws {
        let rig = try await rig(80)
        var names: [String] = []
        var marker: String?
        var pages = 0
        repeat {
            let page = try await query(rig, 4096, marker: marker)
            names += page.records.map(\.name.rawValue)
            marker = page.marker
            pages += 1
        } while marker != nil && pages < 10
        #expect(names == (0..<80).map { "r\($0)" })
        #expect(pages == 2)
    }

    @Test("a lookup of more than its bytes is answered when its values are cut")
    func lookups() async throws {
        let rig = try await rig(40)
        let names = (0..<40).map { RecordName(trusted: "r\($0)") }
        await expect(code: .quotaExceeded) {
            try await rig.service.lookUpRecords(names, in: .private, for: rig.alice)
        }
        let results = try await rig.service.lookUpRecords(
            names + names, in: .private, valueBytesMax: 1001, for: rig.alice)
        #expect(results.count == 80)
        for result in results {
            let record = try #require(Outcome(result).record)
            expectCut(record, 1000)
        }
        for bytes in [0, -1, Limits.recordBytesMax + 1] {
            await expect(code: .badRequest) {
                try await rig.service.lookUpRecords(names, in: .private, valueBytesMax: bytes, for: rig.alice)
            }
        }
    }

    @Test("pages of a zone's changes count cut values, and all pages have each record once", arguments: [false, true])
    func changes(isReverse: Bool) async throws {
        let rig = try await rig(80, in: "z")
        for name in ["r3", "r70"] { _ = try await rig.apply(.on(name, .forceDelete), in: .private, zone: "z") }
        var names: [String] = []
        var token: String?
        var pages = 0
        var moreComing = true
        while moreComing, pages < 10 {
            let request = ZoneFeedRequest(zone: "z", syncToken: token, isReverse: isReverse, valueBytesMax: 4096)
            guard case .page(let page) = try await rig.service.zoneChanges([request], in: .private, for: rig.alice)[0]
            else {
                Issue.record("no page")
                return
            }
            for case .saved(let record) in page.changes { expectCut(record, 4096) }
            names += page.names
            (token, moreComing) = (page.syncToken, page.moreComing)
            pages += 1
        }
        let expected = (0..<80).filter { $0 != 3 && $0 != 70 }.map { "r\($0)" }
        #expect(names == (isReverse ? expected.reversed() : expected))
        #expect(pages == 2, "78 records of 900 KB are more than 64 MiB and less than 128")
        // The token goes on.
        _ = try await rig.apply(.on("r5", .forceUpdate, ["n": .int64(500)]), in: .private, zone: "z")
        #expect(try await rig.page("z", since: token).names == ["r5"])
    }

    @Test("an encrypted value is opened and cut for the answer, in lists too")
    func encrypted() async throws {
        let rig = try await RecordServiceRig()
        let fields: [String: FieldValue?] = [
            "e": .encrypted(.open(.string(Self.long))), "short": .encrypted(.open(.string("s"))),
            "l": .encrypted(.open(.stringList(Array(repeating: "ab", count: 5000)))),
        ]
        _ = try await rig.apply(.on("r", .create, fields), in: .private)
        let results = try await rig.service.lookUpRecords(
            [RecordName(trusted: "r")], in: .private, valueBytesMax: 10, for: rig.alice)
        let record = try rig.service.seals.opened(try #require(Outcome(results[0]).record))
        #expect(record.fields[FieldName(trusted: "e")] == .encrypted(.open(.string("ééééé"))))
        #expect(record.fields[FieldName(trusted: "short")] == .encrypted(.open(.string("s"))))
        // Two elements of two bytes with two more each, and two bytes that the next one begins with would not fit.
        #expect(record.fields[FieldName(trusted: "l")] == .encrypted(.open(.stringList(["ab", "ab"]))))
        #expect(
            record.cuts == [
                FieldName(trusted: "e"): ValueCut(bytes: 900_000),
                FieldName(trusted: "l"): ValueCut(bytes: 20_000, elements: 5000),
            ])
    }

    @Test("a field with the mark is refused for its item, and the others of the request are saved")
    func saving() async throws {
        let rig = try await rig(1)
        var cut = GivenValue(.string("é"), isTypeExplicit: true)
        cut.isCut = true
        var marked = RecordOperation.on("r0", .forceUpdate, ["n": .int64(7)])
        marked.fields[FieldName(trusted: "text")] = .some(cut)
        let outcomes = try await rig.apply([marked, .on("r1", .create, ["n": .int64(1)])], in: .private)
        #expect(outcomes.map(\.code) == [.badRequest, nil])
        #expect(outcomes[0].error?.reason.contains("valueBytesMax") == true)
        let stored = try #require(try await rig.lookUp("r0", in: .private))
        #expect(stored.fields[FieldName(trusted: "text")] == .string(Self.long))
        #expect(stored.fields[FieldName(trusted: "n")] == .int64(0))
    }
}
