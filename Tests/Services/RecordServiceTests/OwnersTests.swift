import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// In the public database nothing that others hang onto a record binds its owner.
@Suite struct OwnersTests {
    private static let type = RecordType(trusted: "T")

    private func save(
        _ rig: RecordServiceRig, _ operations: [RecordOperation], as caller: Caller
    ) async throws {
        for start in stride(from: 0, to: operations.count, by: 200) {
            let step = Array(operations[start..<min(start + 200, operations.count)])
            let results = try await rig.service.modifyRecords(step, in: .public, for: caller)
            let failure = results.first(where: \.isFailure)
            #expect(failure == nil, "\(String(describing: failure))")
        }
    }

    private static func referrers(_ prefix: String, _ count: Int, to target: String) -> [RecordOperation] {
        (0..<count).map { .on("\(prefix)\($0)", .create, ["up": reference(target, .deleteSelf)]) }
    }

    private static func below(_ parent: String?, _ name: String, _ kind: RecordOperation.Kind = .forceUpdate)
        -> RecordOperation
    {
        var operation = RecordOperation.on(name, kind)
        operation.parent = .some(parent.map { RecordName(trusted: $0) })
        return operation
    }

    private func usage(_ rig: RecordServiceRig, _ caller: Caller) async throws -> Int64 {
        try await rig.service.store.read { try $0.usage(of: caller.user!)[.publicRecords] }
    }

    @Test("references of others take no room from one's own")
    func references() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create))
        try await save(rig, Self.referrers("b", Limits.deleteSelfReferencesMax, to: "r"), as: rig.bob)
        let refused = try await rig.apply(.on("more", .create, ["up": reference("r", .deleteSelf)]), as: rig.bob)
        #expect(refused.code == .quotaExceeded)
        try await save(rig, Self.referrers("a", Limits.deleteSelfReferencesMax, to: "r"), as: rig.alice)
        let own = try await rig.apply(.on("more", .create, ["up": reference("r", .deleteSelf)]))
        #expect(own.code == .quotaExceeded, "one's own have the limit that they had")
        // Also of a record that another user changes: it counts for its creator.
        try await rig.service.setRight(.write, of: .icloud, on: Self.type, to: true)
        let changed = try await rig.apply(.on("a0", .forceUpdate, ["n": .int64(1)]), as: rig.bob)
        #expect(changed.code == nil, "\(changed)")
    }

    @Test("a deletion is not refused for records of others, and takes none of them in its commit")
    func deletion() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create))
        try await save(rig, Self.referrers("own", 3, to: "r"), as: rig.alice)
        // More bytes than a deletion takes with it.
        let bytes = [UInt8](repeating: 7, count: 1_000_000)
        let count = Limits.movedBytesMax / (2 * bytes.count) + 2
        for n in 0..<count {
            let outcome = try await rig.apply(
                .on("b\(n)", .create, ["up": reference("r", .deleteSelf), "data": .bytes(bytes)]), as: rig.bob)
            #expect(outcome.code == nil, "\(outcome)")
        }
        let before = try await rig.lastSequence()
        let outcome = try await rig.apply(.on("r", .forceDelete))
        #expect(outcome.deleted != nil, "\(outcome)")
        #expect(try await rig.lastSequence() == before + 4, "the record and three of its owner's")
        #expect(try await rig.lookUp("own0") == nil)
        #expect(try await rig.lookUp("b0") != nil)
        // They go in steps, each of its creator's account.
        #expect(try await usage(rig, rig.bob) == Int64(count))
        try await rig.service.removeDroppedZones()
        #expect(try await usage(rig, rig.bob) == 0)
        #expect(try await usage(rig, rig.alice) == 0)
        for name in ["b0", "b\(count - 1)"] { #expect(try await rig.lookUp(name) == nil) }
        let deleted = try await rig.service.store.read {
            try $0.outbox(after: CommitSequence(before), limit: 10_000, bytesMax: .max)
        }.map { try ChangeEvent(decoding: $0.value!).change() }
        #expect(deleted.count == count + 4 && deleted.allSatisfy { $0.kind == .deleted })
        #expect(deleted.allSatisfy { $0.origin.user == rig.alice.user }, "the deletion is Alice's")
    }

    @Test("a record of others that is deleted in steps takes on what refers to it, whosever it is")
    func steps() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("a1", .create))
        _ = try await rig.apply(.on("b1", .create, ["up": reference("a1", .deleteSelf)]), as: rig.bob)
        _ = try await rig.apply(.on("a2", .create, ["up": reference("b1", .deleteSelf)]))
        _ = try await rig.apply(.on("b2", .create, ["up": reference("a2", .deleteSelf)]), as: rig.bob)
        // A circle, and one that refers twice.
        _ = try await rig.apply(.on("b1", .forceUpdate, ["back": reference("b2", .deleteSelf)]), as: rig.bob)
        _ = try await rig.apply(.on("other", .create, ["up": reference("a1")]), as: rig.bob)
        #expect(try await rig.apply(.on("a1", .forceDelete)).code == nil)
        try await rig.service.removeDroppedZones()
        for name in ["a1", "b1", "a2", "b2"] { #expect(try await rig.lookUp(name) == nil, "\(name)") }
        #expect(try await rig.lookUp("other") != nil)
    }

    @Test("a record made again under the name keeps what refers to it")
    func again() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create))
        try await save(rig, Self.referrers("b", 3, to: "r"), as: rig.bob)
        #expect(try await rig.apply(.on("r", .forceDelete)).code == nil)
        _ = try await rig.apply(.on("r", .create))
        try await save(rig, Self.referrers("later", 2, to: "r"), as: rig.bob)
        try await rig.service.removeDroppedZones()
        #expect(try await rig.lookUp("b0") == nil)
        #expect(try await rig.lookUp("later0") != nil)
        #expect(try await rig.lookUp("later1") != nil)
        #expect(try await rig.apply(.on("r", .forceDelete)).code == nil)
        try await rig.service.removeDroppedZones()
        #expect(try await rig.lookUp("later1") == nil)
    }

    @Test("between the steps of a deletion others write, and what its owner deletes meanwhile is gone")
    func others() async throws {
        let rig = try await RecordServiceRig()
        for name in ["r", "s"] { _ = try await rig.apply(.on(name, .create)) }
        try await save(rig, Self.referrers("b", 400, to: "r"), as: rig.bob)
        try await save(rig, Self.referrers("d", 10, to: "s"), as: rig.bob)
        for name in ["r", "s"] { #expect(try await rig.apply(.on(name, .forceDelete)).code == nil) }
        _ = try await rig.apply(.on("b7", .forceDelete), as: rig.bob)
        async let removing: Void = rig.service.removeDroppedZones()
        for n in 0..<5 { #expect(try await rig.apply(.on("v\(n)", .create), as: rig.bob).code == nil) }
        try await removing
        #expect(try await usage(rig, rig.bob) == 5)
    }

    @Test("records of others below one's own do not hold it where it is")
    func moves() async throws {
        let rig = try await RecordServiceRig()
        for name in ["r", "top"] { _ = try await rig.apply(.on(name, .create)) }
        try await rig.service.setRight(.write, of: .icloud, on: Self.type, to: true)
        let chain = (0..<Limits.parentDepthMax).map { Self.below($0 == 0 ? "r" : "b\($0 - 1)", "b\($0)") }
        try await save(rig, chain, as: rig.bob)
        try await rig.service.setRight(.write, of: .icloud, on: Self.type, to: false)
        let moved = try await rig.apply(Self.below("top", "r"))
        #expect(moved.record?.parent == RecordName(trusted: "top"), "\(moved)")
        #expect(try await rig.apply(.on("r", .forceUpdate, ["n": .int64(1)])).code == nil)
        #expect(try await rig.apply(.on("r", .forceDelete)).code == nil)
        // One's own count as before.
        let own = (0..<Limits.parentDepthMax).map { Self.below($0 == 0 ? nil : "a\($0 - 1)", "a\($0)") }
        try await save(rig, own, as: rig.alice)
        #expect(try await rig.apply(Self.below("top", "a0")).code == nil)
        #expect(try await rig.apply(Self.below("a0", "top")).code == .badRequest, "a circle")
        #expect(try await rig.apply(.on("next", .create)).code == nil)
        #expect(try await rig.apply(Self.below("next", "top")).code == .quotaExceeded)
    }

    @Test("only those who may write a record hang others below it")
    func parents() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create))
        let refused = try await rig.apply(Self.below("r", "b"), as: rig.bob)
        #expect(refused.code == .accessDenied && refused.error?.reason.contains("WRITE") == true, "\(refused)")
        #expect(try await rig.apply(Self.below("r", "a")).code == nil)
        try await rig.service.setRight(.write, of: .icloud, on: Self.type, to: true)
        #expect(try await rig.apply(Self.below("r", "b"), as: rig.bob).code == nil)
        try await rig.service.setRight(.write, of: .icloud, on: Self.type, to: false)
        // What hangs there may be changed, and sent with the parent that it has.
        #expect(try await rig.apply(Self.below("r", "b"), as: rig.bob).code == nil)
        #expect(try await rig.apply(Self.below(nil, "b"), as: rig.bob).code == nil)
        #expect(try await rig.apply(Self.below("r", "b"), as: rig.bob).code == .accessDenied)
    }

    @Test("in a private database the limits of a deletion and of references are those they were")
    func privateDatabase() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create), in: .private)
        let count = Limits.deleteSelfReferencesMax
        for operation in Self.referrers("a", count, to: "r") {
            _ = try await rig.apply(operation, in: .private)
        }
        let refused = try await rig.apply(.on("more", .create, ["up": reference("r", .deleteSelf)]), in: .private)
        #expect(refused.code == .quotaExceeded)
        #expect(try await rig.apply(.on("r", .forceDelete), in: .private).code == nil)
        #expect(try await rig.lookUp("a0", in: .private) == nil, "in the same commit")
    }
}
