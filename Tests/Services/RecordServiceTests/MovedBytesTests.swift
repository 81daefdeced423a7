import CloudModel
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// The work of a request is bounded by the bytes that it moves, whatever the request says.
@Suite struct MovedBytesTests {
    private static func text(_ bytes: Int) -> FieldValue { .string(String(repeating: "x", count: bytes)) }

    /// Saves records of so many bytes, a few at a time.
    private func fill(_ rig: RecordServiceRig, _ count: Int, bytes: Int, zone: String = "_defaultZone") async throws {
        for start in stride(from: 0, to: count, by: 4) {
            let results = try await rig.service.modifyRecords(
                (start..<min(count, start + 4)).map { .on("r\($0)", .forceUpdate, ["t": Self.text(bytes)]) },
                in: .private, zone: GivenZone(name: ZoneName(trusted: zone)), isAtomic: false, for: rig.alice)
            #expect(results.allSatisfy { !$0.isFailure }, "\(results)")
        }
    }

    private func outboxBytes(_ rig: RecordServiceRig) async throws -> Int {
        try await rig.service.store.read { reader in
            try reader.outbox(after: .zero, limit: .max, bytesMax: .max).reduce(0) { $0 + ($1.value?.count ?? 0) }
        }
    }

    @Test("a short request that touches many large records changes as many as it may, and says so for the others")
    func touches() async throws {
        let rig = try await RecordServiceRig()
        try await fill(rig, 40, bytes: 900_000)
        let before = try await outboxBytes(rig)
        let results = try await rig.service.modifyRecords(
            (0..<40).map { .on("r\($0)", .forceUpdate, ["n": .int64(Int64($0))]) }, in: .private, for: rig.alice)
        let saved = results.count { !$0.isFailure }
        #expect((5..<40).contains(saved))
        for result in results.dropFirst(saved) {
            let error = try #require(Outcome(result).error)
            #expect(error.code == .quotaExceeded)
            #expect(error.limit == ExceededLimit("movedBytesMax", Limits.movedBytesMax))
        }
        #expect(try await outboxBytes(rig) - before <= Limits.movedBytesMax)
        // What failed succeeds by itself.
        #expect(try await rig.apply(.on("r39", .forceUpdate, ["n": .int64(1)]), in: .private).code == nil)
    }

    @Test("a request that reads many large records and changes nothing is bounded, too")
    func reads() async throws {
        let rig = try await RecordServiceRig()
        try await fill(rig, 80, bytes: 900_000)
        let work = StoreWork(account: "alice")
        let results = try await StoreWork.$current.withValue(work) {
            try await rig.service.modifyRecords(
                (0..<80).map { .on("r\($0)", .forceUpdate) }, in: .private, for: rig.alice)
        }
        // The answer is full before the request has moved too much.
        #expect(results.contains { Outcome($0).error?.limit?.name == "lookupBytesMax" })
        #expect(work.moved <= Limits.movedBytesMax + 2 * Limits.recordBytesMax, "\(work.moved)")
    }

    @Test("operations that are saved together are bounded by less, and none is saved beyond it")
    func together() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "z")
        try await fill(rig, 12, bytes: 900_000, zone: "z")
        let zone = GivenZone(name: ZoneName(trusted: "z"))
        let before = try await outboxBytes(rig)
        let results = try await rig.service.modifyRecords(
            (0..<12).map { .on("r\($0)", .forceUpdate, ["n": .int64(1)]) }, in: .private, zone: zone, for: rig.alice)
        #expect(results.allSatisfy { $0.isFailure })
        let limits = results.compactMap { Outcome($0).error?.limit?.name }
        #expect(Set(limits) == ["atomicBytesMax"])
        #expect(try await outboxBytes(rig) == before)
    }

    @Test("a large request goes through several commits, each with little of it")
    func steps() async throws {
        let rig = try await RecordServiceRig()
        try await fill(rig, 8, bytes: 900_000)
        var run = BatchRun((0..<8).map { .on("r\($0)", .forceUpdate, ["n": .int64(1)]) })
        var commits = 0
        while run.next != nil {
            run = try await rig.service.commit(in: .whole) { [rig, run] commit in
                let origin = Origin(user: rig.alice.user!, device: nil, epoch: nil)
                let zone = ZoneID(name: .defaultZone, owner: origin.user)
                let batch = RecordBatch(
                    rig.service.zone(zone, in: .private, of: origin, commit),
                    assets: AssetLedger(
                        storage: nil, scope: rig.service.scope, database: .private, user: origin.user,
                        time: commit.time), stepBytes: Limits.stepBytes)
                var run = run
                try batch.apply(&run)
                #expect(commit.transaction.movedBytes < 2 * Limits.stepBytes + 8 * Limits.recordBytesMax)
                return run
            }
            commits += 1
        }
        #expect(run.all.allSatisfy { !$0.isFailure })
        #expect(commits == 8, "a record of 900 KB is more than a commit takes")
    }

    @Test(
        "a save that changes nothing writes nothing and notifies nobody",
        arguments: [RecordOperation.Kind.forceUpdate, .forceReplace, .update, .replace])
    func unchanged(kind: RecordOperation.Kind) async throws {
        let rig = try await RecordServiceRig()
        let fields: [String: FieldValue?] = [
            "n": .int64(1), "t": .string("text"), "l": .list([.int64(1), .int64(2)], of: .int64),
        ]
        let saved = try #require(try await rig.apply(.on("r", .forceUpdate, fields), in: .private).record)
        let changes = try await rig.changes().count
        let again = RecordOperation.on("r", kind, tag: saved.changeTag, fields)
        let outcome = try await rig.apply(again, in: .private)
        #expect(outcome.record == saved)
        #expect(try await rig.changes().count == changes)
        let other = RecordOperation.on("r", kind, tag: saved.changeTag, fields.merging(["n": .int64(2)]) { $1 })
        let changed = try #require(try await rig.apply(other, in: .private).record)
        #expect(changed.changeTag != saved.changeTag)
        #expect(try await rig.changes().count == changes + 1)
    }

    @Test("whatever differs from the stored record in a byte is a change, and nothing else is")
    func changedOrNot() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "z")
        var tag = ""
        func save(_ kind: RecordOperation.Kind, _ fields: [String: FieldValue?]) async throws -> Bool {
            let outcome = try await rig.apply(.on("r", kind, tag: tag, fields), in: .private)
            let saved = try #require(outcome.record, "\(String(describing: outcome.error))")
            defer { tag = saved.changeTag }
            return saved.changeTag != tag
        }
        let text = Self.text(50_000)
        #expect(try await save(.forceUpdate, ["a": .string("\u{E9}"), "n": .int64(1), "t": text]))
        // Others of its fields are not named.
        #expect(try await !save(.update, ["n": .int64(1)]))
        #expect(try await !save(.update, [:]))
        #expect(try await !save(.update, ["absent": nil]))
        #expect(try await save(.update, ["n": .int64(2)]))
        #expect(try await save(.update, ["a": .string("e\u{301}")]), "another spelling of the same letter")
        #expect(try await !save(.update, ["a": .string("e\u{301}"), "t": text]))
        #expect(try await !save(.replace, ["a": .string("e\u{301}"), "n": .int64(2), "t": text]))
        #expect(try await save(.replace, ["n": .int64(2), "t": text]), "a field that is not named goes")
        #expect(try await save(.update, ["n": nil]))
        #expect(try await !save(.update, ["n": nil]))
        #expect(try await save(.replace, ["t": text, "x": .int64(0)]))
        // As many fields as before, and another one of them.
        #expect(try await save(.replace, ["t": text, "y": .int64(0)]))
        #expect(try await save(.update, ["l": .list([], of: .int64)]))
        #expect(try await !save(.update, ["l": .list([], of: .int64)]))
    }

    @Test("a record has so many rows in indexes", arguments: ["elements", "words", "both"])
    func rows(_ what: String) async throws {
        let rig = try await RecordServiceRig()
        let elements = what == "words" ? 0 : what == "both" ? Limits.indexRowsMax / 2 : Limits.indexRowsMax
        let words = what == "elements" ? 0 : what == "both" ? Limits.indexRowsMax / 2 : Limits.indexRowsMax
        func fields(more: Int) -> [String: FieldValue?] {
            var fields: [String: FieldValue?] = [:]
            if elements > 0 { fields["l"] = .list((0..<elements - 8 + more).map { .int64(Int64($0)) }, of: .int64) }
            if words > 0 {
                fields["t"] = .string((0..<words - 8 + more).map { "w\($0)" }.joined(separator: " "))
            }
            return fields
        }
        #expect(try await rig.apply(.on("r", .create, fields(more: 0)), in: .private).code == nil)
        let refused = try await rig.apply(.on("s", .create, fields(more: 20)), in: .private)
        #expect(refused.error?.limit == ExceededLimit("indexRowsMax", Limits.indexRowsMax))
    }

    @Test("a record has so many references that are followed", arguments: [Reference.Action.validate, .deleteSelf])
    func references(_ action: Reference.Action) async throws {
        let rig = try await RecordServiceRig()
        func list(_ count: Int) -> FieldValue {
            .list((0..<count).map { reference("x\($0)", action) }, of: .reference)
        }
        let refused = try await rig.apply(
            .on("r", .create, ["l": list(Limits.followedReferencesMax + 1)]), in: .private)
        #expect(refused.error?.limit == ExceededLimit("followedReferencesMax", Limits.followedReferencesMax))
        let allowed = try await rig.apply(.on("r", .create, ["l": list(Limits.followedReferencesMax)]), in: .private)
        #expect(allowed.code == (action == .validate ? .validatingReferenceError : nil))
    }

    /// 600 records go with one, in several commits.
    @Test func aCascadeGoesInSteps() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("root", .create), in: .private)
        for start in stride(from: 0, to: 600, by: 200) {
            let results = try await rig.service.modifyRecords(
                (start..<start + 200).map {
                    let above = $0 < 100 ? "root" : "c\($0 - 100)"
                    return .on("c\($0)", .create, ["up": reference(above, .deleteSelf), "t": Self.text(5000)])
                }, in: .private, for: rig.alice)
            #expect(results.allSatisfy { !$0.isFailure })
        }
        let outcome = try await rig.apply(.on("root", .forceDelete), in: .private)
        #expect(outcome.code == nil)
        for name in ["root", "c0", "c99", "c100", "c599"] {
            #expect(try await rig.lookUp(name, in: .private) == nil, "\(name)")
        }
        #expect(try await rig.changes().count { $0.kind == .deleted } == 601)
    }
}
