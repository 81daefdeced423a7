import CloudModel
import TestSupport
import Testing

@testable import RecordService

/// A record that the caller may not read is answered as one that is not there.
@Suite struct HiddenRecordTests {
    private static let type = RecordType(trusted: "T")

    /// Alice's record `hidden`, which she alone may read and write; everybody may create others of its type.
    private func hidden(readers: TypePermissions.Role? = .creator) async throws -> RecordServiceRig {
        let rig = try await RecordServiceRig(assets: MemoryAssets())
        #expect(try await rig.apply(.on("hidden", .create, ["n": .int64(42)])).code == nil)
        try await rig.service.setRight(.read, of: .world, on: Self.type, to: false)
        if let readers { try await rig.service.setRight(.read, of: readers, on: Self.type, to: true) }
        return rig
    }

    /// A zone of Alice's where a record is shared with Bob, and `hidden` and the record `above` it are not.
    static func share(
        _ rig: RecordServiceRig, _ root: String, _ permission: Share.Permission
    ) async throws -> GivenZone {
        _ = try await rig.zone(.create, "z")
        var record = RecordOperation.on(root, .create, ["n": .int64(1)])
        record.parent = .some(RecordName(trusted: "above"))
        var share = RecordOperation.on("s", .create)
        share.recordType = .share
        share.share = GivenShare(
            root: RecordName(trusted: root), participants: [.init(user: rig.bob.user!, permission: permission)])
        var guid: String?
        for operation in [.on("hidden", .create, ["n": .int64(42)]), .on("above", .create), record, share] {
            let outcome = try await rig.apply(operation, in: .private, zone: "z")
            guid = try #require(outcome.record, "\(outcome)").shareDetails?.shortGUID
        }
        _ = try await rig.service.acceptShares([try #require(guid)], for: rig.bob)[0].get()
        return GivenZone(name: ZoneName(trusted: "z"), owner: rig.alice.user)
    }

    /// Expects that an operation on the hidden record and on a free name have the same outcome.
    private func expectSame(
        _ rig: RecordServiceRig, in database: DatabaseScope = .public, zone: GivenZone = .default,
        _ code: CloudErrorCode?, sourceLocation: SourceLocation = #_sourceLocation,
        _ operation: (_ name: String) -> RecordOperation
    ) async throws {
        var outcomes: [Outcome] = []
        for name in ["hidden", "nobody"] {
            outcomes.append(try await rig.apply(operation(name), in: database, zone: zone, as: rig.bob))
        }
        #expect(outcomes[1].code == code, "\(outcomes[1])", sourceLocation: sourceLocation)
        #expect(outcomes[0].code == outcomes[1].code, "\(outcomes[0])", sourceLocation: sourceLocation)
        #expect(
            outcomes[0].error?.reason.replacing("hidden", with: "nobody") == outcomes[1].error?.reason,
            sourceLocation: sourceLocation)
        #expect((outcomes[0].record == nil) == (outcomes[1].record == nil), sourceLocation: sourceLocation)
        #expect((outcomes[0].deleted == nil) == (outcomes[1].deleted == nil), sourceLocation: sourceLocation)
    }

    private static func child(of parent: String) -> RecordOperation {
        var operation = RecordOperation.on("mine", .forceUpdate)
        operation.parent = .some(RecordName(trusted: parent))
        return operation
    }

    /// Operations that name a record of the name, and the code of all of them.
    private static let naming: [@Sendable (String) -> RecordOperation] = [
        { .on($0, .update, tag: "zzz") }, { .on($0, .update) }, { .on($0, .replace, tag: "zzz") },
        { .on($0, .delete, tag: "zzz") }, { .on($0, .delete) }, { .on($0, .update, tag: "zzz", type: "U") },
    ]

    @Test("in the public database: by lookup, with and without a user", arguments: [TypePermissions.Role.creator, nil])
    func lookups(readers: TypePermissions.Role?) async throws {
        let rig = try await hidden(readers: readers)
        let names = ["hidden", "nobody"].map { RecordName(trusted: $0) }
        for caller in [rig.bob, Caller(user: nil)] + (readers == nil ? [rig.alice] : []) {
            let outcomes = try await rig.service.lookUpRecords(names, in: .public, for: caller).map(Outcome.init)
            #expect(outcomes.map(\.code) == [.notFound, .notFound])
            #expect(outcomes[0].error?.reason.replacing("hidden", with: "nobody") == outcomes[1].error?.reason)
            guard caller.user != nil else { continue }
            let files = try await rig.service.rereferenceAssets(
                names.map { ($0, FieldName(trusted: "file")) }, in: .public, for: caller)
            let errors = files.map { file -> CloudError? in if case .failure(let error) = file { error } else { nil } }
            #expect(errors.map { $0?.code } == [.notFound, .notFound])
            #expect(errors[0]?.reason.replacing("hidden", with: "nobody") == errors[1]?.reason)
        }
    }

    @Test("in the public database: by references, parents and changes", arguments: [TypePermissions.Role.creator, nil])
    func changes(readers: TypePermissions.Role?) async throws {
        let rig = try await hidden(readers: readers)
        for naming in Self.naming { try await expectSame(rig, .notFound, naming) }
        try await expectSame(rig, .validatingReferenceError) { Self.child(of: $0) }
        try await expectSame(rig, .validatingReferenceError) {
            .on("mine", .forceUpdate, ["up": reference($0, .validate)])
        }
        try await expectSame(rig, .validatingReferenceError) {
            .on("mine", .forceUpdate, ["up": .list([reference($0, .validate)], of: .reference)])
        }
        try await expectSame(rig, nil) { .on("mine", .forceUpdate, ["up": reference($0, .deleteSelf)]) }
        // It is answered as gone, as a record that is not there is; it stays.
        try await expectSame(rig, nil) { .on($0, .forceDelete) }
        if readers != nil { #expect(try await rig.lookUp("hidden") != nil) }
        #expect(try await rig.changes().filter { $0.matched?.name.rawValue == "hidden" }.count == 1)
        // Its creator does with it what the rights allow.
        let own = try await rig.apply(.on("own", .create, ["up": reference("hidden", .validate)]))
        #expect(own.code == (readers == nil ? .validatingReferenceError : nil), "\(own)")
        #expect(try await rig.apply(.on("hidden", .forceUpdate, ["n": .int64(1)])).code == nil)
        #expect(try await rig.apply(.on("hidden", .forceDelete)).code == nil)
    }

    @Test("in the public database only its name is taken, for those who may create one")
    func names() async throws {
        let rig = try await hidden()
        for kind in [RecordOperation.Kind.create, .forceUpdate, .forceReplace] {
            let outcome = try await rig.apply(.on("hidden", kind, ["n": .int64(1)]), as: rig.bob)
            #expect(outcome.code == (kind == .create ? .exists : .accessDenied), "\(outcome)")
            #expect(outcome.error?.reason.contains(" T") == false, "its type is not said")
        }
        // Faults of the request itself come first.
        for kind in [RecordOperation.Kind.create, .forceUpdate, .forceReplace] {
            try await expectSame(rig, .badRequest) { .on($0, kind, type: nil) }
            try await expectSame(rig, .badRequest) { .on($0, kind, ["n": .string("none")]) }
            try await expectSame(rig, .validatingReferenceError) {
                .on($0, kind, ["up": reference("nowhere", .validate)])
            }
        }
        // A user without the right to create one learns nothing.
        try await rig.service.setRight(.create, of: .icloud, on: Self.type, to: false)
        for kind in [RecordOperation.Kind.create, .forceUpdate, .forceReplace] {
            try await expectSame(rig, .accessDenied) { .on($0, kind) }
        }
    }

    @Test("users too, where the schema lets nobody read them")
    func users() async throws {
        let rig = try await RecordServiceRig()
        try await rig.service.makeUserRecord(of: rig.alice.user!)
        try await rig.service.setRight(.read, of: .world, on: .users, to: false)
        try await rig.service.setRight(.read, of: .creator, on: .users, to: true)
        let names = [rig.alice.user!.rawValue, "_00000000000000000000000000000000"]
        for operation in [RecordOperation.Kind.update, .forceUpdate, .delete, .forceDelete] {
            var reasons: [String?] = []
            for name in names {
                let outcome = try await rig.apply(.on(name, operation, tag: "zzz", type: "Users"), as: rig.bob)
                #expect(outcome.code == .notFound, "\(outcome)")
                reasons.append(outcome.error?.reason.replacing(name, with: "x"))
            }
            #expect(reasons[0] == reasons[1])
        }
        for database in [DatabaseScope.public, .private] {
            for name in names {
                let outcome = try await rig.apply(
                    .on("r", .forceUpdate, ["of": reference(name, .validate)]), in: database, as: rig.bob)
                #expect(outcome.code == .validatingReferenceError, "\(outcome)")
            }
            let own = try await rig.apply(
                .on("r", .forceUpdate, ["of": reference(names[0], .validate)]), in: database)
            #expect(own.code == nil, "\(own)")
        }
    }

    @Test("in a shared zone: by references, parents and changes", arguments: [Share.Permission.readOnly, .readWrite])
    func shared(permission: Share.Permission) async throws {
        let rig = try await RecordServiceRig()
        let zone = try await Self.share(rig, "root", permission)
        func below(_ operation: RecordOperation) -> RecordOperation {
            var operation = operation
            operation.parent = .some(RecordName(trusted: "root"))
            return operation
        }
        for naming in Self.naming {
            try await expectSame(rig, in: .shared, zone: zone, .notFound, naming)
        }
        try await expectSame(rig, in: .shared, zone: zone, nil) { .on($0, .forceDelete) }
        try await expectSame(rig, in: .shared, zone: zone, .accessDenied) { Self.child(of: $0) }
        for kind in [RecordOperation.Kind.create, .forceUpdate, .forceReplace] {
            try await expectSame(rig, in: .shared, zone: zone, .accessDenied) { .on($0, kind) }
            guard permission == .readOnly else { continue }
            try await expectSame(rig, in: .shared, zone: zone, .accessDenied) { below(.on($0, kind)) }
        }
        try await expectSame(rig, in: .shared, zone: zone, .accessDenied) {
            var share = RecordOperation.on("t", .create)
            share.recordType = .share
            share.share = GivenShare(root: RecordName(trusted: $0))
            return share
        }
        #expect(try await rig.lookUp("hidden", in: .private, zone: "z")?.fields.entries.count == 1)
        guard permission == .readWrite else { return }
        try await expectSame(rig, in: .shared, zone: zone, .validatingReferenceError) {
            below(.on("mine", .forceUpdate, ["up": reference($0, .validate)]))
        }
        for kind in [RecordOperation.Kind.create, .forceUpdate, .forceReplace] {
            let outcome = try await rig.apply(below(.on("hidden", kind)), in: .shared, zone: zone, as: rig.bob)
            #expect(outcome.code == (kind == .create ? .exists : .accessDenied), "\(outcome)")
        }
        // A record above the share makes no difference to saves below it, there or not.
        try await rig.removeAsBefore("above", in: ZoneID(name: ZoneName(trusted: "z"), owner: rig.alice.user!))
        let saved = try await rig.apply(below(.on("mine", .create)), in: .shared, zone: zone, as: rig.bob)
        #expect(saved.code == nil, "\(saved)")
    }
}
