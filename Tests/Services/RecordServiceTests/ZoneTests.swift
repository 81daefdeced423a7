import CloudModel
import RecordService
import RecordStore
import TestSupport
import Testing

/// Custom zones (docs/cloudkit.md#zones).
@Suite struct ZoneTests {
    @Test func aZoneHoldsRecordsOfItsOwn() async throws {
        let rig = try await RecordServiceRig()
        #expect(try await rig.zone(.create, "a").zone?.isAtomic == true)
        _ = try await rig.zone(.create, "b")
        for zone: GivenZone in ["a", "b", .default] {
            #expect(try await rig.apply(.on("r", .create), in: .private, zone: zone).code == nil)
            #expect(try await rig.lookUp("r", in: .private, zone: zone)?.zone.name == zone.name)
        }
        _ = try await rig.apply(.on("r", .forceDelete), in: .private, zone: "a")
        #expect(try await rig.lookUp("r", in: .private, zone: "a") == nil)
        #expect(try await rig.lookUp("r", in: .private, zone: "b") != nil)
        let names = try await rig.service.listZones(in: .private, for: rig.alice).map(\.id.name.rawValue)
        #expect(names == ["_defaultZone", "a", "b"])
    }

    @Test func zonesOfOthersAndUnknownOnesAreNotFound() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "a")
        let alices = GivenZone(name: ZoneName(trusted: "a"), owner: rig.alice.user)
        #expect(try await rig.apply(.on("r", .create), in: .private, zone: alices).code == nil)
        for zone in [alices, "a", "none"] {
            await expect(code: .zoneNotFound) {
                try await rig.apply(.on("r", .create), in: .private, zone: zone, as: rig.bob)
            }
            await expect(code: .zoneNotFound) { try await rig.lookUp("r", in: .private, zone: zone, as: rig.bob) }
            await expect(code: .zoneNotFound) { try await rig.lookUp("r", in: .shared, zone: zone, as: rig.bob) }
            await expect(code: .zoneNotFound) { try await rig.page(zone, as: rig.bob) }
        }
        await expect(code: .zoneNotFound) { try await rig.lookUp("r", in: .public, zone: "a") }
        let looked = try await rig.service.lookUpZones([alices, .default], in: .private, for: rig.bob)
        #expect(looked.map(\.code) == [.zoneNotFound, nil])
        #expect(try await rig.zone(.delete, alices, as: rig.bob).code == .accessDenied)
        #expect(try await rig.zone(.create, alices, as: rig.bob).code == .accessDenied)
    }

    @Test func zonesAreMadeInPrivateDatabasesOnly() async throws {
        let rig = try await RecordServiceRig()
        for database in [DatabaseScope.public, .shared] {
            await expect(code: .badRequest) {
                try await rig.service.modifyZones(
                    [ZoneOperation(kind: .create, zone: "a")], in: database, for: rig.alice)
            }
        }
        #expect(try await rig.service.listZones(in: .public, for: Caller(user: nil)).map(\.id) == [.publicDefault])
        #expect(try await rig.service.listZones(in: .shared, for: rig.alice).isEmpty)
        await expect(code: .authenticationRequired) {
            try await rig.service.listZones(in: .private, for: Caller(user: nil))
        }
        await expect(code: .badRequest) {
            try await rig.service.modifyZones(
                [ZoneOperation(kind: .create, zone: "a"), ZoneOperation(kind: .delete, zone: "a")], in: .private,
                for: rig.alice)
        }
    }

    @Test func theDefaultZoneStays() async throws {
        let rig = try await RecordServiceRig()
        #expect(try await rig.zone(.delete, .default).zone?.isDeleted == true, "it is emptied")
        #expect(try await rig.zone(.create, .default).zone?.isAtomic == false)
        #expect(try await rig.zone(.delete, "none").code == .zoneNotFound)
    }

    /// Creating a zone again changes nothing, and notifies nobody.
    @Test func creatingAZoneTwiceIsHarmless() async throws {
        let rig = try await RecordServiceRig()
        let first = try await rig.zone(.create, "a")
        _ = try await rig.apply(.on("r", .create), in: .private, zone: "a")
        let before = try await rig.lastSequence()
        #expect(try await rig.zone(.create, "a").zone?.id == first.zone?.id)
        #expect(try await rig.lastSequence() == before)
        #expect(try await rig.lookUp("r", in: .private, zone: "a") != nil)
    }

    @Test func aDeletedZoneTakesItsRecordsWithIt() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "a")
        _ = try await rig.apply(.on("r", .create), in: .private, zone: "a")
        #expect(try await rig.zone(.delete, "a").zone?.isDeleted == true)
        await expect(code: .zoneNotFound) { try await rig.lookUp("r", in: .private, zone: "a") }
        _ = try await rig.zone(.create, "a")
        #expect(try await rig.lookUp("r", in: .private, zone: "a") == nil)
    }

    /// Making and deleting a zone are changes of the private database (docs/choices.md, 3).
    @Test func zoneChangesArePublished() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "a")
        _ = try await rig.apply(.on("r", .create), in: .private, zone: "a")
        _ = try await rig.zone(.delete, "a")
        let changes = try await rig.changes()
        #expect(changes.map(\.kind) == [.created, .created, .deleted])
        #expect(changes.map { $0.zone?.name.rawValue } == ["a", nil, "a"])
        #expect(changes.allSatisfy { $0.affectedZone?.owner == rig.alice.user && $0.database == .private })
        let keys = Set(try await rig.outbox().map(\.key))
        #expect(keys.count == 1, "a user's private database is one ordered partition")
    }

    @Test func aUserHasSoManyZones() async throws {
        let rig = try await RecordServiceRig()
        for start in stride(from: 0, to: Limits.zonesPerUserMax, by: 200) {
            let operations = (start..<start + 200).map {
                ZoneOperation(kind: .create, zone: GivenZone(name: ZoneName(trusted: "z\($0)")))
            }
            let results = try await rig.service.modifyZones(operations, in: .private, for: rig.alice)
            #expect(results.allSatisfy { $0.code == nil })
        }
        #expect(try await rig.zone(.create, "more").code == .quotaExceeded)
        #expect(try await rig.zone(.create, "z0").code == nil)
        #expect(try await rig.zone(.create, "more", as: rig.bob).code == nil)
    }

    /// A reference that names its own zone, with or without the owner, stays within it; another zone is refused.
    @Test func referencesStayInTheirZone() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "a")
        let name = ZoneName(trusted: "a")
        for owner in [rig.alice.user!, .defaultOwner] {
            let field = reference("x", zone: ZoneID(name: name, owner: owner))
            let saved = try await rig.apply(.on("r", .forceUpdate, ["f": field]), in: .private, zone: "a")
            #expect(saved.record?.fields[FieldName(trusted: "f")] == reference("x"))
        }
        for zone in [ZoneID(name: name, owner: rig.bob.user!), ZoneID(name: .defaultZone, owner: .defaultOwner)] {
            let refused = try await rig.apply(
                .on("r", .forceUpdate, ["f": reference("x", zone: zone)]), in: .private, zone: "a")
            #expect(refused.code == .badRequest)
        }
    }
}
