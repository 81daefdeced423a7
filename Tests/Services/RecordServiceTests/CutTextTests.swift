import CloudModel
import Dispatch
import Matching
import RecordStore
import TestSupport
import Testing
import Waiting

@testable import RecordService

/// The words of long texts, which are not cut within a commit.
@Suite(.hangGuard) struct CutTextTests {
    private static let title = FieldName(trusted: "title")
    private static let long = (0..<20_000).map { "w\($0 % 100)" }.joined(separator: " ")

    private static let indexing = RecordIndexing(
        indexes: TypeIndexes(
            number: 1,
            fields: [
                title: .init(number: 1, type: .string, indexes: .searchable),
                FieldName(trusted: "plain"): .init(number: 2, type: .string, indexes: []),
            ], system: [:]))

    private static func record(_ fields: [String: String]) -> Record {
        var values = RecordFields()
        for (name, text) in fields { values[FieldName(trusted: name)] = .string(text) }
        let stamp = RecordStamp(
            timestamp: Timestamp(milliseconds: 1), user: UserRecordName(trusted: "_a"), device: nil)
        return Record(
            type: RecordType(trusted: "T"), name: RecordName(trusted: "r"), zone: .publicDefault, changeTag: "",
            created: stamp, modified: stamp, fields: values)
    }

    @Test("words that the store has are taken for the same texts, and for no others")
    func stored() throws {
        let record = Self.record(["title": Self.long, "n": "1"])
        let known = Self.indexing.size(of: record, stored: (record, ["known"]))
        #expect(known.words == 1 && known.cut?.words == ["known"])
        for former in [
            ["title": Self.long + " x", "n": "1"], ["title": Self.long], ["title": Self.long, "n": "2"], [:],
        ] {
            let cut = Self.indexing.size(of: record, stored: (Self.record(former), ["known"])).cut
            #expect(cut?.words == Words.unique(of: [Self.long, "1"]), "\(former.keys)")
        }
        // A text that no search looks through changes nothing.
        let plain = Self.record(["title": Self.long, "n": "1", "plain": "y"])
        #expect(Self.indexing.size(of: plain, stored: (record, ["known"])).cut?.words == ["known"])
    }

    @Test("texts that were cut before the commit are not cut again, and are united with the others' words")
    func before() throws {
        let cut = RecordIndexing.CutTexts([Self.long], words: ["known"])
        let record = Self.record(["title": Self.long, "n": "zebra apple"])
        let found = Self.indexing.size(of: record, cuts: [Self.title: cut]).cut
        #expect(found?.words == ["apple", "known", "zebra"])
        #expect(Self.indexing.index(of: record, cut: found).words == Self.indexing.index(of: record).words)
        // Another text than the one that was cut, as when the schema made it another one.
        let other = Self.record(["title": Self.long + " x"])
        #expect(
            Self.indexing.size(of: other, cuts: [Self.title: cut]).cut?.words == Words.unique(of: [Self.long + " x"]))
    }

    @Test("long texts of saves are cut, short ones and those of deletions are not")
    func cutting() async throws {
        let rig = try await RecordServiceRig()
        let cuts = try await rig.service.cutTexts(
            of: [
                .on("a", .create, ["title": .string("short"), "n": .int64(1)]),
                .on("b", .forceUpdate, ["title": .string(Self.long), "n": nil]),
                .on("c", .create, ["l": .list([.string(Self.long), .string("last")], of: .string)]),
                .on("d", .forceDelete, ["title": .string(Self.long)]),
            ], for: rig.alice.user!)
        #expect(Set(cuts.keys) == [1, 2])
        #expect(cuts[1]?[Self.title]?.words == Words.unique(of: [Self.long]))
        #expect(cuts[2]?[FieldName(trusted: "l")]?.words.contains("last") == true)
    }

    @Test("a changed record is found by the words of its long text as it is")
    func found() async throws {
        let rig = try await RecordServiceRig()
        func save(_ fields: [String: FieldValue?]) async throws {
            #expect(try await rig.apply(.on("r", .forceUpdate, fields), in: .private).code == nil)
        }
        func words() async throws -> [String] {
            let id = RecordID(
                database: .private, zone: ZoneID(name: .defaultZone, owner: rig.alice.user!),
                name: RecordName(trusted: "r"))
            return try await rig.service.store.read { try $0.words(of: id) }
        }
        try await save(["title": .string(Self.long + " tulip"), "n": .int64(1)])
        let first = Words.unique(of: [Self.long + " tulip"])
        #expect(try await words() == first)
        try await save(["n": .int64(2)])
        #expect(try await words() == first)
        try await save(["note": .string("rose")])
        #expect(try await words() == Words.unique(of: [Self.long, "tulip rose"]))
        try await save(["title": .string(Self.long + " daisy")])
        #expect(try await words() == Words.unique(of: [Self.long, "daisy rose"]))
    }

    @Test("of one user's requests with long texts so many wait, and another user's does not wait for them")
    func waiting() async throws {
        let rig = try await RecordServiceRig()
        let operation = RecordOperation.on("r", .create, ["title": .string(Self.long)])
        let (alice, bob) = (rig.alice.user!, rig.bob.user!)
        let goOn = DispatchSemaphore(value: 0)
        let (beginnings, begins) = AsyncStream<Void>.makeStream()
        let first = Task { [service = rig.service] in
            try await service.cutting.run(for: alice) { _ in
                begins.finish()
                goOn.wait()
            }
        }
        for await _ in beginnings {}
        let others = (0..<Limits.textWaitersMax).map { _ in
            Task { [service = rig.service] in try await service.cutTexts(of: [operation], for: alice).count }
        }
        try await eventually("all other requests wait") { [service = rig.service] in
            service.cutting.waitingCount == Limits.textWaitersMax
        }
        let error = await #expect(throws: CloudError.self) {
            try await rig.service.cutTexts(of: [operation], for: alice)
        }
        #expect(error?.code == .tryAgainLater)
        #expect(try await rig.service.cutTexts(of: [operation], for: bob).count == 1)
        goOn.signal()
        try await first.value
        for other in others { #expect(try await other.value == 1) }
    }
}
