import CloudModel
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// Saving, deleting and looking up records (docs/cloudkit.md#saves; docs/delivery.md).
@Suite struct RecordTests {
    typealias Kind = RecordOperation.Kind

    // MARK: The table of docs/cloudkit.md#saves

    @Test(arguments: [
        (Kind.create, nil as CloudErrorCode?), (.forceUpdate, nil), (.update, .notFound), (.delete, .notFound),
    ])
    func onARecordThatIsAbsent(kind: Kind, code: CloudErrorCode?) async throws {
        let rig = try await RecordServiceRig()
        for tag in [nil, "1", "zz"] {
            let outcome = try await rig.apply(.on("r\(tag ?? "")", kind, tag: tag, ["a": .int64(1)]))
            #expect(outcome.code == code, "\(kind) with tag \(tag ?? "-"): \(outcome)")
            #expect(try await rig.lookUp("r\(tag ?? "")") == outcome.record)
        }
    }

    enum Tag: CaseIterable { case right, wrong, missing }

    @Test(
        arguments: [
            (Kind.create, Tag.right, CloudErrorCode.exists), (.create, .wrong, .exists), (.create, .missing, .exists),
            (.update, .right, nil), (.update, .wrong, .conflict), (.update, .missing, .badRequest),
            (.forceUpdate, .right, nil), (.forceUpdate, .wrong, nil), (.forceUpdate, .missing, nil),
            (.delete, .right, nil), (.delete, .wrong, .conflict), (.delete, .missing, .badRequest),
        ] as [(Kind, Tag, CloudErrorCode?)])
    func onARecordThatIsPresent(kind: Kind, tag: Tag, code: CloudErrorCode?) async throws {
        let rig = try await RecordServiceRig()
        let first = try #require(try await rig.apply(.on("r", .create, ["a": .int64(1), "b": .int64(2)])).record)
        let stale = first.changeTag
        let present = try #require(
            try await rig.apply(.on("r", .update, tag: stale, ["b": .int64(3)])).record)
        let text = [Tag.right: present.changeTag, .wrong: stale, .missing: nil][tag]!
        let outcome = try await rig.apply(.on("r", kind, tag: text, ["c": .string("x"), "a": nil]))
        #expect(outcome.code == code, "\(outcome)")
        let after = try await rig.lookUp("r")
        switch (code, kind) {
        case (nil, .delete):
            #expect(after == nil && outcome.deleted == RecordName(trusted: "r"))
        case (nil, _):
            // Given fields are merged; null removes one.
            #expect(after == outcome.record)
            #expect(after?.fields.entries.map(\.name.rawValue) == ["b", "c"])
            #expect(after?.changeTag != present.changeTag)
        default: #expect(after == present)
        }
    }

    @Test func stampsAndTagsFollowEachSave() async throws {
        let rig = try await RecordServiceRig()
        let created = try #require(try await rig.apply(.on("r", .create)).record)
        rig.move(by: .seconds(5))
        var caller = rig.alice
        caller.client = DeviceID(trusted: "a browser of its own")
        let updated = try #require(
            try await rig.apply(.on("r", .update, tag: created.changeTag, type: nil, ["n": .int64(1)]), as: caller)
                .record)
        #expect(created.created == created.modified && updated.created == created.created)
        #expect(updated.modified.timestamp == rig.now && updated.modified.device == caller.client)
        #expect(created.modified.device == nil && created.created.user == rig.alice.user)
        #expect(updated.changeTag != created.changeTag && !updated.changeTag.isEmpty)
        #expect(try await rig.lookUp("r") == updated)
    }

    @Test func namesAreMadeWhereNoneIsGiven() async throws {
        let rig = try await RecordServiceRig()
        let results = try await rig.service.modifyRecords(
            (0..<3).map { _ in .on(nil, .create) }, in: .public, for: rig.alice)
        let names = results.compactMap { Outcome($0).record?.name.rawValue }
        #expect(Set(names).count == 3)
        for name in names { #expect(try RecordName(name).rawValue == name && name.utf8.count == 36) }
        #expect(try await rig.apply(.on(nil, .delete)).code == .badRequest)
        #expect(try await rig.apply(.on(nil, .update, tag: "1")).code == .notFound)
    }

    @Test func aTypeIsNeededAndCannotChange() async throws {
        let rig = try await RecordServiceRig()
        for kind in [Kind.create, .forceUpdate] {
            #expect(try await rig.apply(.on("r", kind, type: nil)).code == .badRequest)
        }
        let record = try #require(try await rig.apply(.on("r", .create)).record)
        for kind in [Kind.update, .forceUpdate] {
            let outcome = try await rig.apply(.on("r", kind, tag: record.changeTag, type: "U"))
            #expect(outcome.code == .badRequest)
        }
        #expect(try await rig.fieldTypes("U") == nil)
    }

    // MARK: Requests as a whole

    @Test func twoHundredOperationsAreTheMost() async throws {
        let rig = try await RecordServiceRig()
        let operations = (0..<201).map { RecordOperation.on("r\($0)", .create) }
        await expect(code: .quotaExceeded) {
            try await rig.service.modifyRecords(operations, in: .public, for: rig.alice)
        }
        #expect(try await rig.lastSequence() == 0)
        let results = try await rig.service.modifyRecords(Array(operations[..<200]), in: .public, for: rig.alice)
        #expect(results.count == 200 && results.allSatisfy { Outcome($0).record != nil })
        let names = operations.map { $0.recordName! }
        await expect(code: .quotaExceeded) {
            try await rig.service.lookUpRecords(names, in: .public, for: rig.alice)
        }
        #expect(try await rig.service.lookUpRecords(Array(names[..<200]), in: .public, for: rig.alice).count == 200)
        #expect(try await rig.service.modifyRecords([], in: .public, for: rig.alice).isEmpty)
    }

    @Test func aLookupIsBoundedInBytes() async throws {
        let rig = try await RecordServiceRig()
        let text = String(repeating: "x", count: 1_000_000)
        var names: [RecordName] = []
        while names.count * 1_000_000 <= Limits.lookupBytesMax {
            let name = "r\(names.count)"
            #expect(try await rig.apply(.on(name, .create, ["s": .string(text)])).code == nil)
            names.append(RecordName(trusted: name))
        }
        await expect(code: .quotaExceeded) { [names] in
            try await rig.service.lookUpRecords(names, in: .public, for: rig.alice)
        }
        let fewer = try await rig.service.lookUpRecords(
            Array(names.dropLast()), in: .public, for: rig.alice)
        #expect(fewer.count == names.count - 1)
    }

    /// docs/choices.md, 19: the same record twice in one request is refused, as a whole.
    @Test func theSameRecordTwiceIsRefused() async throws {
        let rig = try await RecordServiceRig()
        await expect(code: .badRequest) {
            try await rig.service.modifyRecords(
                [.on("a", .create), .on("b", .create), .on("a", .forceUpdate)], in: .public, for: rig.alice)
        }
        #expect(try await rig.lookUp("a") == nil)
        #expect(try await rig.lastSequence() == 0)
    }

    @Test func nobodyWritesWithoutSigningIn() async throws {
        let rig = try await RecordServiceRig()
        let nobody = Caller(user: nil)
        await expect(code: .authenticationRequired) { try await rig.apply(.on("r", .create), as: nobody) }
        await expect(code: .authenticationRequired) { try await rig.lookUp("r", in: .private, as: nobody) }
        // Everybody reads the public database.
        _ = try await rig.apply(.on("r", .create))
        #expect(try await rig.lookUp("r", as: nobody) != nil)
        for caller in [rig.alice, nobody] {
            await expect(code: caller.user == nil ? .authenticationRequired : .badRequest) {
                try await rig.apply(.on("r", .create), in: .shared, as: caller)
            }
            await expect(code: .badRequest) { try await rig.lookUp("r", in: .shared, as: caller) }
        }
    }

    // MARK: Isolation

    @Test func privateDatabasesAreApart() async throws {
        let rig = try await RecordServiceRig()
        let alices = try #require(try await rig.apply(.on("r", .create, ["a": .string("A")]), in: .private).record)
        #expect(try await rig.lookUp("r", in: .private, as: rig.bob) == nil)
        #expect(
            try await rig.apply(.on("r", .delete, tag: alices.changeTag), in: .private, as: rig.bob).code
                == .notFound)
        let bobs = try #require(try await rig.apply(.on("r", .create), in: .private, as: rig.bob).record)
        #expect(bobs.zone.owner == rig.bob.user && alices.zone.owner == rig.alice.user)
        #expect(try await rig.lookUp("r", in: .private) == alices)
        #expect(try await rig.lookUp("r") == nil)
    }

    /// docs/choices.md, 17.
    @Test(arguments: [Kind.update, .forceUpdate, .delete])
    func anotherUsersPublicRecordIsReadOnly(kind: Kind) async throws {
        let rig = try await RecordServiceRig()
        let record = try #require(try await rig.apply(.on("r", .create)).record)
        let outcome = try await rig.apply(.on("r", kind, tag: record.changeTag, ["x": .int64(1)]), as: rig.bob)
        #expect(outcome.code == .accessDenied)
        #expect(try await rig.lookUp("r", as: rig.bob) == record)
        #expect(try await rig.fieldTypes("T") == [:])
    }

    /// A `clientId` of another user's device is no error (docs/choices.md, 6).
    @Test func aClientIsTheCallersOwnDeviceOrNone() async throws {
        let rig = try await RecordServiceRig()
        let phone = try await rig.service.registerDevice(
            DeviceID(trusted: "phone"), name: "", platform: "", for: rig.alice)
        func caller(_ caller: Caller, _ client: String) -> Caller {
            Caller(user: caller.user, client: DeviceID(trusted: client))
        }
        _ = try await rig.apply(.on("a", .create), as: caller(rig.alice, "phone"))
        _ = try await rig.apply(.on("b", .create), as: caller(rig.alice, "browser"))
        // To bob another user's device is like an unknown name: he is neither stopped, nor learns of it.
        _ = try await rig.apply(.on("c", .create), as: caller(rig.bob, "phone"))
        let origins = try await rig.changes().map(\.origin)
        #expect(origins.map(\.device?.rawValue) == ["phone", "browser", "phone"])
        #expect(origins.map(\.epoch) == [phone.epoch, nil, nil])
        // A user who registers the name that another client uses does not stop that client.
        _ = try await rig.service.registerDevice(
            DeviceID(trusted: "browser"), name: "", platform: "", for: rig.bob)
        let saved = try await rig.apply(.on("b", .forceUpdate), as: caller(rig.alice, "browser"))
        #expect(saved.record?.modified.device?.rawValue == "browser", "\(saved)")
        #expect(try await rig.changes().last?.origin.epoch == nil)
        try await rig.service.unregisterDevice(phone.id, for: rig.alice)
        _ = try await rig.apply(.on("d", .create), as: caller(rig.bob, "phone"))
        #expect(try await rig.changes().last?.origin == Origin(user: rig.bob.user!, device: phone.id, epoch: nil))
    }

    // MARK: What fails leaves nothing behind

    @Test func aRecordOverAMegabyteIsRefused() async throws {
        let rig = try await RecordServiceRig()
        func save(_ bytes: Int) async throws -> Outcome {
            try await rig.apply(
                .on("r", .forceUpdate, type: "Large", ["text": .string(String(repeating: "x", count: bytes))]))
        }
        #expect(try await save(1 << 20).code == .quotaExceeded)
        #expect(try await rig.lookUp("r") == nil)
        #expect(try await rig.fieldTypes("Large") == nil)
        #expect(try await rig.outbox().isEmpty)
        // 1 MiB with its name, type and stamps.
        let record = try #require(try await save((1 << 20) - 300).record)
        #expect(try await save(2 << 20).code == .quotaExceeded)
        #expect(try await rig.lookUp("r") == record)
        // A change carries it twice, and still fits into a message.
        #expect(try #require(await save((1 << 20) - 310).record) != record)
        #expect(try await rig.outbox().allSatisfy { $0.value!.count < Limits.messageBytesMax - 4096 })
    }

    /// Each operation fails by itself: failed ones leave no record, no type, no field and nothing to publish.
    @Test func failuresBetweenSuccessesLeaveNothingBehind() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("old", .create, ["n": .int64(1)]))
        let results = try await rig.service.modifyRecords(
            [
                .on("a", .create, ["n": .int64(2)]), .on("old", .create, type: "New1", ["x": .int64(1)]),
                .on("b", .create, ["n": .string("no number"), "fresh": .int64(1)]),
                .on("c", .create, type: "New2", ["r": reference("nowhere", .validate), "y": .int64(1)]),
                .on("d", .update, tag: "q", type: "New3"), .on("e", .create, ["m": .double(0.5)]), .on(nil, .delete),
                .on("f", .create, type: nil, ["z": .int64(1)]),
            ], in: .public, for: rig.alice)
        #expect(
            results.map { Outcome($0).code } == [
                nil, .exists, .badRequest, .validatingReferenceError, .notFound, nil, .badRequest, .badRequest,
            ])
        #expect(
            try await rig.fieldTypes("T") == [FieldName(trusted: "n"): .int64, FieldName(trusted: "m"): .double])
        for type in ["New1", "New2", "New3"] { #expect(try await rig.fieldTypes(type) == nil) }
        for name in ["b", "c", "d", "f"] { #expect(try await rig.lookUp(name) == nil) }
        #expect(try await rig.changes().map { $0.matched!.name.rawValue } == ["old", "a", "e"])
    }

    // MARK: References

    @Test func aValidatedReferenceNeedsItsTarget() async throws {
        let rig = try await RecordServiceRig()
        func save(_ name: String, _ target: FieldValue, in database: DatabaseScope = .public) async throws -> Outcome {
            try await rig.apply(.on(name, .forceUpdate, ["to": target]), in: database)
        }
        #expect(try await save("a", reference("b", .validate)).code == .validatingReferenceError)
        #expect(try await save("a", reference("b")).record != nil)
        #expect(try await save("c", reference("a", .validate)).record != nil)
        // Another database's record of that name is another record.
        #expect(try await save("p", reference("a", .validate), in: .private).code == .validatingReferenceError)
        // A target that an earlier operation of the same request has made is there, one that was deleted is not.
        let tag = try #require(try await rig.lookUp("c")).changeTag
        let results = try await rig.service.modifyRecords(
            [
                .on("x", .create), .on("y", .create, ["to": reference("x", .validate)]), .on("c", .delete, tag: tag),
                .on("z", .create, ["to": reference("c", .validate)]),
            ], in: .public, for: rig.alice)
        #expect(results.map { Outcome($0).code } == [nil, nil, nil, .validatingReferenceError])
    }

    /// Source and target share zone and database (docs/cloudkit.md#references). A reference into another user's private
    /// zone would otherwise reveal whether a record of that name exists (G8).
    @Test func aReferenceStaysInItsZone() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("secret", .create), in: .private, as: rig.bob)
        let bobs = ZoneID(name: .defaultZone, owner: rig.bob.user!)
        var codes: [CloudErrorCode?] = []
        for target in ["secret", "nothing"] {
            for action in [Reference.Action.validate, .none] {
                let outcome = try await rig.apply(
                    .on("r\(action)", .forceUpdate, ["to": reference(target, action, zone: bobs)]), in: .private)
                codes.append(outcome.code)
            }
        }
        #expect(codes == [.badRequest, .badRequest, .badRequest, .badRequest])
        let own = ZoneID(name: .defaultZone, owner: rig.alice.user!)
        #expect(
            try await rig.apply(.on("ok", .create, ["to": reference("x", zone: own)]), in: .private).record != nil)
    }

    // MARK: Published changes

    @Test func everyChangeIsPublishedInCommitOrder() async throws {
        let rig = try await RecordServiceRig()
        let created = try #require(try await rig.apply(.on("r", .create, ["a": .int64(1)])).record)
        _ = try await rig.apply(.create(.draft("s")))
        rig.move(by: .seconds(1))
        let updated = try #require(
            try await rig.apply(.on("r", .update, tag: created.changeTag, ["a": .int64(2)])).record)
        _ = try await rig.apply(.on("r", .delete, tag: updated.changeTag))
        _ = try await rig.apply(.on("p", .create), in: .private)
        let rows = try await rig.outbox()
        #expect(rows.map(\.sequence.rawValue) == [1, 2, 3, 4, 5])
        #expect(
            rows.map(\.destination) == [
                .changes(.public), .subscriptions, .changes(.public), .changes(.public), .changes(.private),
            ])
        let changes = try await rig.changes()
        #expect(changes.map(\.kind) == [.created, .updated, .deleted, .created])
        #expect(changes.map(\.before) == [nil, created, updated, nil])
        #expect(changes.map(\.after) == [created, updated, nil, try await rig.lookUp("p", in: .private)])
        #expect(changes.map(\.lastSubscription.rawValue) == [0, 2, 2, 2])
        #expect(changes.map(\.sequence.rawValue) == [1, 3, 4, 5])
        #expect(changes[1].committed == rig.now && rows[2].time == rig.now)
        // One record's changes have one key; a user's whole private database has one.
        #expect(
            rows[0].key == Array("_defaultZone\0r".utf8) && rows[2].key == rows[0].key && rows[3].key == rows[0].key)
        #expect(rows[4].key == Array(rig.alice.user!.rawValue.utf8))
    }
}
