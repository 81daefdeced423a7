import CloudModel
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// A record takes part in one share only.
@Suite struct SharedOnceTests {
    /// A zone of Alice's: `top` > `middle` > `low` > `leaf`, and `other`.
    private struct Setting {
        let rig: RecordServiceRig
        var zone: GivenZone { GivenZone(name: ZoneName(trusted: "z"), owner: rig.alice.user) }

        init() async throws {
            rig = try await RecordServiceRig()
            _ = try await rig.zone(.create, "z")
            let chain = [("top", nil), ("middle", "top"), ("low", "middle"), ("leaf", "low"), ("other", nil)]
            for (name, parent) in chain {
                #expect(try await rig.apply(SharedOnceTests.below(parent, name), in: .private, zone: zone).code == nil)
            }
        }

        func apply(_ operations: RecordOperation..., isAtomic: Bool = true) async throws -> [Outcome] {
            try await rig.apply(operations, in: .private, zone: zone, isAtomic: isAtomic)
        }
    }

    private static func share(of root: String?, _ name: String? = nil) -> RecordOperation {
        var operation = RecordOperation.on(root.map { name ?? "s-\($0)" } ?? "cloudkit.zoneshare", .create)
        operation.recordType = .share
        operation.share = GivenShare(root: root.map { RecordName(trusted: $0) })
        return operation
    }

    fileprivate static func below(_ parent: String?, _ name: String) -> RecordOperation {
        var operation = RecordOperation.on(name, .forceUpdate)
        operation.parent = .some(parent.map { RecordName(trusted: $0) })
        return operation
    }

    @Test("the record itself, those above and below it, and the zone", arguments: ["low", nil])
    func sharedOnce(shared: String?) async throws {
        let setting = try await Setting()
        #expect(try await setting.apply(Self.share(of: shared))[0].code == nil)
        let name = RecordName(trusted: shared.map { "s-\($0)" } ?? "cloudkit.zoneshare")
        for root in ["top", "middle", "low", "leaf", shared == nil ? "other" : nil].compactMap(\.self) {
            let outcome = try await setting.apply(Self.share(of: root, "second"))[0]
            #expect(outcome.code == .exists && outcome.error?.share == name, "\(root): \(outcome)")
        }
        if shared != nil {
            let zone = try await setting.apply(Self.share(of: nil))[0]
            #expect(zone.code == .exists && zone.error?.share == name, "\(zone)")
            #expect(try await setting.apply(Self.share(of: "other"))[0].code == nil)
        } else {
            let again = try await setting.apply(Self.share(of: nil))[0]
            #expect(again.code == .exists && again.error?.share == nil, "the very record is there: a conflict")
        }
    }

    @Test("a record with a share, or with one below it, is not moved below another")
    func moves() async throws {
        let setting = try await Setting()
        #expect(try await setting.apply(Self.share(of: "low"))[0].code == nil)
        #expect(try await setting.apply(Self.share(of: "other"))[0].code == nil)
        for name in ["low", "middle", "top"] {
            let moved = try await setting.apply(Self.below("other", name))[0]
            #expect(moved.code == .exists && moved.error?.share == RecordName(trusted: "s-other"), "\(name): \(moved)")
        }
        #expect(try await setting.apply(Self.below("other", "leaf"))[0].code == nil)
        #expect(try await setting.apply(Self.below("low", "leaf"))[0].code == nil)
        #expect(try await setting.apply(Self.below(nil, "low"))[0].code == nil)
        #expect(try await setting.apply(Self.below("other", "middle"))[0].code == nil)
    }

    @Test("a share that the same request deletes does not count", arguments: [true, false], [true, false])
    func replaced(isAtomic: Bool, isDeletedFirst: Bool) async throws {
        func order(_ deletion: RecordOperation, _ other: RecordOperation) -> [RecordOperation] {
            isDeletedFirst ? [deletion, other] : [other, deletion]
        }
        let setting = try await Setting()
        #expect(try await setting.apply(Self.share(of: "low"))[0].code == nil)
        for request in [
            order(.on("s-low", .forceDelete), Self.share(of: "middle")),
            order(.on("s-middle", .forceDelete), Self.share(of: nil)),
            order(.on("cloudkit.zoneshare", .forceDelete), Self.share(of: "leaf")),
        ] {
            let outcomes = try await setting.rig.apply(request, in: .private, zone: setting.zone, isAtomic: isAtomic)
            #expect(outcomes.allSatisfy { $0.code == nil }, "\(outcomes)")
        }
        #expect(try await setting.apply(Self.share(of: "other"))[0].code == nil)
        let moved = try await setting.rig.apply(
            order(.on("s-leaf", .forceDelete), Self.below("other", "low")), in: .private, zone: setting.zone,
            isAtomic: isAtomic)
        #expect(moved.allSatisfy { $0.code == nil }, "\(moved)")
    }

    @Test("a new root that comes after its share, and two shares of one hierarchy in a request")
    func together() async throws {
        let setting = try await Setting()
        let made = try await setting.apply(Self.share(of: "new"), Self.below(nil, "new"))
        #expect(made.allSatisfy { $0.code == nil }, "\(made)")
        let both = try await setting.apply(Self.share(of: "top"), Self.share(of: "leaf"), isAtomic: false)
        #expect(both.map(\.code) == [nil, .exists])
        #expect(both[1].error?.share == RecordName(trusted: "s-top"))
    }

    @Test(
        "the answer has a shared record as its share leaves it, in any order", arguments: [true, false], [true, false])
    func answeredRoots(isShareFirst: Bool, isAtomic: Bool) async throws {
        let setting = try await Setting()
        for share in [Self.share(of: "low"), RecordOperation.on("s-low", .forceDelete)] {
            var save = RecordOperation.on("low", .forceUpdate, ["n": .int64(share.isDeletion ? 2 : 1)])
            save.parent = .some(RecordName(trusted: "middle"))
            let request = isShareFirst ? [share, save] : [save, share]
            let outcomes = try await setting.rig.apply(
                request, in: .private, zone: setting.zone, isAtomic: isAtomic)
            #expect(outcomes.allSatisfy { $0.code == nil }, "\(outcomes)")
            let answered = outcomes.compactMap(\.record).first { $0.name.rawValue == "low" }
            let stored = try await setting.rig.lookUp("low", in: .private, zone: "z")
            #expect(answered == stored)
            #expect(stored?.share == (share.isDeletion ? nil : RecordName(trusted: "s-low")))
        }
    }

    @Test("a zone has its share, for those who may read it")
    func zoneShare() async throws {
        let setting = try await Setting()
        let (rig, zone) = (setting.rig, setting.zone)
        func share(_ database: DatabaseScope, _ caller: Caller) async throws -> [RecordName?] {
            var found: [RecordName?] = []
            for zone in try await rig.service.listZones(in: database, for: caller) where zone.id.name != .defaultZone {
                found.append(zone.share)
            }
            for result in try await rig.service.lookUpZones([zone], in: database, for: caller) {
                if case .zone(let zone) = result { found.append(zone.share) }
            }
            found += try await rig.service.databaseChanges(since: nil, in: database, for: caller).zones.map(\.share)
            return found
        }
        #expect(try await share(.private, rig.alice) == [nil, nil, nil])
        var shared = Self.share(of: nil)
        shared.share?.participants = [.init(user: rig.bob.user!, permission: .readWrite)]
        let made = try await setting.apply(shared)[0]
        #expect(try await share(.private, rig.alice) == [.zoneShare, .zoneShare, .zoneShare])
        guard case .zone(let again) = try await rig.zone(.create, "z") else { return }
        #expect(again.share == .zoneShare)
        let guid = try #require(made.record?.shareDetails?.shortGUID)
        _ = try await rig.service.acceptShares([guid], for: rig.bob)[0].get()
        #expect(try await share(.shared, rig.bob) == [.zoneShare, .zoneShare, .zoneShare])
        _ = try await setting.apply(.on("cloudkit.zoneshare", .forceDelete))
        #expect(try await share(.private, rig.alice) == [nil, nil, nil])
    }

    @Test("a participant leaves by deleting the zone in the shared database", arguments: [true, false])
    func leaving(isZoneShare: Bool) async throws {
        let setting = try await Setting()
        let rig = setting.rig
        for root in isZoneShare ? [nil] : ["top", "other"] {
            var share = Self.share(of: root)
            share.share?.participants = [.init(user: rig.bob.user!, permission: .readWrite)]
            let guid = try #require(try await setting.apply(share)[0].record?.shareDetails?.shortGUID)
            _ = try await rig.service.acceptShares([guid], for: rig.bob)[0].get()
        }
        let token = try await rig.service.databaseChanges(since: nil, in: .shared, for: rig.bob).syncToken
        func delete(_ zone: GivenZone) async throws -> ZoneResult {
            try await rig.service.modifyZones(
                [ZoneOperation(kind: .delete, zone: zone)], in: .shared, for: rig.bob)[0]
        }
        guard case .zone(let left) = try await delete(setting.zone) else {
            Issue.record("the zone is not left")
            return
        }
        #expect(left.isDeleted && left.id.owner == rig.alice.user)
        #expect(try await rig.service.listZones(in: .shared, for: rig.bob).isEmpty)
        let changes = try await rig.service.databaseChanges(since: token, in: .shared, for: rig.bob)
        #expect(changes.zones.map(\.isDeleted) == [true])
        #expect(try await rig.lookUp("leaf", in: .private, zone: "z") != nil, "it goes on for its owner")
        let names = isZoneShare ? ["cloudkit.zoneshare"] : ["s-top", "s-other"]
        for name in names {
            let share = try await rig.lookUp(name, in: .private, zone: "z")
            #expect(share?.shareDetails?.participants.isEmpty == true)
        }
        guard case .failed(_, let error) = try await delete(setting.zone) else { return }
        #expect(error.code == .zoneNotFound)
        await expect(code: .badRequest) {
            _ = try await rig.service.modifyZones(
                [ZoneOperation(kind: .create, zone: setting.zone)], in: .shared, for: rig.bob)
        }
    }
}
