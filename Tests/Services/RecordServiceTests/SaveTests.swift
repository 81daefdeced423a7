import CloudModel
import Testing

@testable import RecordService

/// The effect of each operation on the stored and given values: docs/cloudkit.md#saves.
@Suite struct SaveTests {
    typealias Kind = RecordOperation.Kind

    private func fields(_ record: Record?) -> [String: FieldValue] {
        Dictionary(uniqueKeysWithValues: record?.fields.entries.map { ($0.name.rawValue, $0.value) } ?? [])
    }

    @Test(arguments: [
        (Kind.update, ["a": FieldValue.int64(2), "b": .int64(1)]), (.forceUpdate, ["a": .int64(2), "b": .int64(1)]),
        (.replace, ["a": .int64(2)]), (.forceReplace, ["a": .int64(2)]),
    ])
    func anUpdateMergesAndAReplacementForgets(kind: Kind, expected: [String: FieldValue]) async throws {
        let rig = try await RecordServiceRig()
        let created = try await rig.apply(.on("r", .create, ["a": .int64(1), "b": .int64(1)]))
        let tag = kind.needsChangeTag ? created.record?.changeTag : nil
        let saved = try await rig.apply(.on("r", kind, tag: tag, ["a": .int64(2)]))
        #expect(fields(saved.record) == expected)
        #expect(fields(try await rig.lookUp("r")) == expected)
    }

    @Test(arguments: [
        (Kind.replace, CloudErrorCode?.some(.notFound)), (.forceReplace, nil), (.forceUpdate, nil),
    ])
    func onlyForcedSavesMakeARecord(kind: Kind, code: CloudErrorCode?) async throws {
        let rig = try await RecordServiceRig()
        #expect(try await rig.apply(.on("r", kind, tag: "1", ["a": .int64(1)])).code == code)
        #expect((try await rig.lookUp("r") != nil) == (code == nil))
    }

    @Test(arguments: [Kind.update, .replace, .delete])
    func aTagIsNeededAndHasToBeTheLatest(kind: Kind) async throws {
        let rig = try await RecordServiceRig()
        let first = try await rig.apply(.on("r", .create, ["a": .int64(1)]))
        _ = try await rig.apply(.on("r", .forceUpdate, ["a": .int64(2)]))
        #expect(try await rig.apply(.on("r", kind)).code == .badRequest)
        #expect(try await rig.apply(.on("r", kind, tag: first.record?.changeTag)).code == .conflict)
        #expect(fields(try await rig.lookUp("r")) == ["a": .int64(2)])
    }

    @Test func forceDeletingAMissingRecordChangesNothing() async throws {
        let rig = try await RecordServiceRig()
        #expect(try await rig.apply(.on("r", .forceDelete)).deleted == RecordName(trusted: "r"))
        #expect(try await rig.outbox().isEmpty)
        _ = try await rig.apply(.on("r", .create))
        #expect(try await rig.apply(.on("r", .forceDelete)).deleted != nil)
        #expect(try await rig.lookUp("r") == nil)
    }

    // MARK: References

    @Test func aDeletionTakesItsReferrersWithItAndEachIsPublished() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("root", .create))
        _ = try await rig.apply(.on("child", .create, ["up": reference("root", .deleteSelf)]))
        _ = try await rig.apply(
            .on("grandchild", .create, ["ups": .list([reference("child", .deleteSelf)], of: .reference)]))
        _ = try await rig.apply(.on("friend", .create, ["up": reference("root")]))
        let before = try await rig.changes().count
        _ = try await rig.apply(.on("root", .forceDelete))
        let deletions = try await rig.changes().dropFirst(before)
        #expect(
            deletions.map { "\($0.kind) \($0.before!.name)" } == [
                "deleted grandchild", "deleted child", "deleted root",
            ])
        #expect(try await rig.lookUp("friend") != nil)
    }

    @Test func cyclesOfReferencesEndAndReferencesThatAreGoneTakeNothing() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("a", .create, ["next": reference("b", .deleteSelf)]))
        _ = try await rig.apply(.on("b", .create, ["next": reference("a", .deleteSelf)]))
        _ = try await rig.apply(.on("c", .create, ["next": reference("a", .deleteSelf)]))
        _ = try await rig.apply(.on("c", .forceUpdate, ["next": nil]))
        _ = try await rig.apply(.on("a", .forceDelete))
        #expect(try await rig.lookUp("a") == nil)
        #expect(try await rig.lookUp("b") == nil)
        #expect(try await rig.lookUp("c") != nil)
    }

    @Test func oneRecordHasAtMostSevenHundredFiftyDependents() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("root", .create))
        for start in stride(from: 0, to: Limits.deleteSelfReferencesMax, by: 150) {
            _ = try await rig.service.modifyRecords(
                (start..<start + 150).map { .on("r\($0)", .create, ["up": reference("root", .deleteSelf)]) },
                in: .public, for: rig.alice)
        }
        let refused = try await rig.apply(.on("more", .create, ["up": reference("root", .deleteSelf)]))
        #expect(refused.code == .quotaExceeded)
        // One that has the reference already may be saved again.
        #expect(try await rig.apply(.on("r0", .forceUpdate, ["up": reference("root", .deleteSelf)])).code == nil)
    }

    // MARK: Parents

    @Test func aParentExistsAndIsNobodysOwnDescendant() async throws {
        let rig = try await RecordServiceRig()
        func save(_ name: String, _ kind: Kind = .forceUpdate, parent: String?) async throws -> Outcome {
            var operation = RecordOperation.on(name, kind)
            operation.parent = .some(parent.map { RecordName(trusted: $0) })
            return try await rig.apply(operation)
        }
        #expect(try await save("a", parent: "nobody").code == .validatingReferenceError)
        _ = try await rig.apply(.on("a", .create))
        #expect(try await save("b", parent: "a").record?.parent == RecordName(trusted: "a"))
        #expect(try await save("a", parent: "b").code == .badRequest)
        #expect(try await save("a", parent: "a").code == .badRequest)
        // Saving without a word of it keeps the parent, null removes it.
        #expect(try await rig.apply(.on("b", .forceUpdate)).record?.parent == RecordName(trusted: "a"))
        #expect(try await save("b", parent: nil).record?.parent == nil)
    }

    // MARK: Types

    /// Every type as it is stored and read back.
    @Test func valuesOfAllTypesComeBackAsTheyWere() async throws {
        let rig = try await RecordServiceRig()
        let place = Location(latitude: 51.5, longitude: -0.14, altitude: 11, timestamp: Timestamp(milliseconds: 5))
        let values: [String: FieldValue] = [
            "s": .string("é\u{0}e\u{301}😀"), "i": .int64(.min), "d": .double(.leastNonzeroMagnitude),
            "t": .timestamp(Timestamp(milliseconds: -1)), "r": reference("x"), "b": .bytes([0, 255]),
            "l": .location(place), "ss": .stringList([]), "is": .list([.int64(.max)], of: .int64),
            "ds": .list([.double(-0.0)], of: .double), "rs": .list([reference("x"), reference("y")], of: .reference),
            "bs": .list([.bytes([])], of: .bytes), "ls": .list([.location(place)], of: .location),
            "ts": .list([.timestamp(Timestamp(milliseconds: 0))], of: .timestamp),
        ]
        _ = try await rig.apply(.on("r", .create, values, isTypeExplicit: true))
        #expect(fields(try await rig.lookUp("r")) == values)
        let types = try #require(try await rig.fieldTypes("T"))
        for (name, value) in values { #expect(types[FieldName(trusted: name)] == value.type) }
    }
}
