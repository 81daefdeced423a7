import CloudModel
import TestSupport
import Testing

@testable import RecordService

/// A type whose records more users may write than read: a save answers with what the caller may read.
@Suite struct LetterBoxTests {
    private static let type = RecordType(trusted: "T")

    /// A record of Alice's that Bob may write and not read.
    private func letterBox() async throws -> RecordServiceRig {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("top", .create, ["n": .int64(1)]))
        var letter = RecordOperation.on("letter", .create, ["secret": .string("alice's"), "n": .int64(42)])
        letter.parent = .some(RecordName(trusted: "top"))
        #expect(try await rig.apply(letter).code == nil)
        try await rig.service.setRight(.read, of: .world, on: Self.type, to: false)
        try await rig.service.setRight(.read, of: .creator, on: Self.type, to: true)
        try await rig.service.setRight(.write, of: .icloud, on: Self.type, to: true)
        return rig
    }

    @Test(
        "a save of a record that its caller may not read is answered with the sent values",
        arguments: [RecordOperation.Kind.forceUpdate, .forceReplace, .update, .replace])
    func saves(kind: RecordOperation.Kind) async throws {
        let rig = try await letterBox()
        let tag = kind == .update || kind == .replace ? try await rig.lookUp("letter")?.changeTag : nil
        let outcome = try await rig.apply(
            .on("letter", kind, tag: tag, ["mine": .string("bob's"), "gone": nil]), as: rig.bob)
        let answered = try #require(outcome.record, "\(outcome)")
        #expect(answered.fields.entries.map(\.name.rawValue) == ["mine"])
        #expect(answered.parent == nil && answered.created.user == rig.bob.user)
        // It is saved as always, and the tag is good for the next save.
        let stored = try #require(try await rig.lookUp("letter"))
        #expect(stored.fields[FieldName(trusted: "mine")] == .string("bob's"))
        #expect((stored.fields[FieldName(trusted: "secret")] != nil) == !kind.isReplacing)
        #expect(stored.changeTag == answered.changeTag && stored.created.user == rig.alice.user)
        let next = try await rig.apply(
            .on("letter", .update, tag: answered.changeTag, ["mine": .string("more")]), as: rig.bob)
        #expect(next.record?.fields.entries.map(\.name.rawValue) == ["mine"], "\(next)")
        // A caller with the right to read gets all of it.
        let own = try await rig.apply(.on("letter", .forceUpdate, ["mine": .string("a")]))
        #expect(own.record?.created.user == rig.alice.user && own.record?.fields[FieldName(trusted: "mine")] != nil)
        #expect((own.record?.fields[FieldName(trusted: "secret")] != nil) == !kind.isReplacing)
    }

    @Test("a parent that was sent is answered, and a deletion says no more than that")
    func parents() async throws {
        let rig = try await letterBox()
        var operation = RecordOperation.on("letter", .forceUpdate)
        operation.parent = .some(nil)
        let outcome = try await rig.apply(operation, as: rig.bob)
        #expect(outcome.record?.fields.entries.isEmpty == true && outcome.record?.parent == nil)
        #expect(try await rig.lookUp("letter")?.parent == nil)
        #expect(try await rig.apply(.on("letter", .forceDelete), as: rig.bob).deleted == RecordName(trusted: "letter"))
    }

    @Test("a type that nobody reads answers its creators with what they sent")
    func nobodyReads() async throws {
        let rig = try await letterBox()
        try await rig.service.setRight(.read, of: .creator, on: Self.type, to: false)
        let outcome = try await rig.apply(.on("letter", .forceUpdate, ["mine": .string("a")]))
        #expect(outcome.record?.fields.entries.map(\.name.rawValue) == ["mine"], "\(outcome)")
        let made = try await rig.apply(.on("new", .create, ["mine": .string("a")]))
        #expect(made.record?.fields.entries.map(\.name.rawValue) == ["mine"], "\(made)")
    }

    @Test("a share in the same request, which cannot be, does not widen the answer")
    func withShare() async throws {
        let rig = try await letterBox()
        var letter = RecordOperation.on("letter", .forceUpdate, ["mine": .string("bob's")])
        letter.shareName = RecordName(trusted: "s")
        var share = RecordOperation.on("s", .create)
        share.recordType = .share
        share.share = GivenShare()
        let outcomes = try await rig.service.modifyRecords([letter, share], in: .public, for: rig.bob).map(Outcome.init)
        #expect(outcomes[1].code == .badRequest)
        #expect(outcomes[0].record?.fields.entries.map(\.name.rawValue) == ["mine"], "\(outcomes[0])")
    }

    @Test("a wrong tag is no way to the present one")
    func conflicts() async throws {
        let rig = try await letterBox()
        let tag = try #require(try await rig.lookUp("letter")?.changeTag)
        for kind in [RecordOperation.Kind.update, .replace, .delete] {
            let outcome = try await rig.apply(.on("letter", kind, tag: "zzz"), as: rig.bob)
            #expect(outcome.code == .conflict)
            #expect(outcome.error?.reason.contains("'\(tag)'") == false, "\(outcome)")
            let own = try await rig.apply(.on("letter", kind, tag: "zzz"))
            #expect(own.code == .conflict && own.error?.reason.contains("'\(tag)'") == true)
        }
    }

    @Test("rights are checked before change tags", arguments: [RecordOperation.Kind.update, .replace, .delete])
    func order(kind: RecordOperation.Kind) async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create, ["n": .int64(1)]))
        let tag = try #require(try await rig.lookUp("r")?.changeTag)
        for given in ["zzz", nil, tag] {
            let outcome = try await rig.apply(.on("r", kind, tag: given), as: rig.bob)
            #expect(outcome.code == .accessDenied)
            #expect(outcome.error?.reason.contains("'\(tag)'") == false, "\(outcome)")
        }
        #expect(try await rig.apply(.on("r", kind, tag: "zzz")).code == .conflict)
    }

    @Test("a participant who only reads is refused before the tag", arguments: [RecordOperation.Kind.update, .delete])
    func sharedOrder(kind: RecordOperation.Kind) async throws {
        let rig = try await RecordServiceRig()
        let zone = try await HiddenRecordTests.share(rig, "r", .readOnly)
        for given in ["zzz", nil] {
            let outcome = try await rig.apply(.on("r", kind, tag: given), in: .shared, zone: zone, as: rig.bob)
            #expect(outcome.code == .accessDenied, "\(outcome)")
        }
    }
}
