import CloudModel
import RecordService
import RecordStore
import TestSupport
import Testing

/// Custom zones (spec sections 5.8 and 8.5).
@Suite struct ZoneTests {
    @Test func aZoneHoldsRecordsOfItsOwn() async throws {
        let bench = try await Bench()
        #expect(try await bench.zone(.create, "a").zone?.isAtomic == true)
        _ = try await bench.zone(.create, "b")
        for zone: GivenZone in ["a", "b", .default] {
            #expect(try await bench.apply(.on("r", .create), in: .private, zone: zone).code == nil)
            #expect(try await bench.lookUp("r", in: .private, zone: zone)?.zone.name == zone.name)
        }
        _ = try await bench.apply(.on("r", .forceDelete), in: .private, zone: "a")
        #expect(try await bench.lookUp("r", in: .private, zone: "a") == nil)
        #expect(try await bench.lookUp("r", in: .private, zone: "b") != nil)
        let names = try await bench.service.listZones(in: .private, for: bench.alice).map(\.id.name.rawValue)
        #expect(names == ["_defaultZone", "a", "b"])
    }

    @Test func zonesOfOthersAndUnknownOnesAreNotFound() async throws {
        let bench = try await Bench()
        _ = try await bench.zone(.create, "a")
        let alices = GivenZone(name: ZoneName(trusted: "a"), owner: bench.alice.user)
        #expect(try await bench.apply(.on("r", .create), in: .private, zone: alices).code == nil)
        for zone in [alices, "a", "none"] {
            await expect(code: .zoneNotFound) {
                try await bench.apply(.on("r", .create), in: .private, zone: zone, as: bench.bob)
            }
            await expect(code: .zoneNotFound) { try await bench.lookUp("r", in: .private, zone: zone, as: bench.bob) }
            await expect(code: .zoneNotFound) { try await bench.lookUp("r", in: .shared, zone: zone, as: bench.bob) }
            await expect(code: .zoneNotFound) { try await bench.page(zone, as: bench.bob) }
        }
        await expect(code: .zoneNotFound) { try await bench.lookUp("r", in: .public, zone: "a") }
        let looked = try await bench.service.lookUpZones([alices, .default], in: .private, for: bench.bob)
        #expect(looked.map(\.code) == [.zoneNotFound, nil])
        #expect(try await bench.zone(.delete, alices, as: bench.bob).code == .accessDenied)
        #expect(try await bench.zone(.create, alices, as: bench.bob).code == .accessDenied)
    }

    @Test func zonesAreMadeInPrivateDatabasesOnly() async throws {
        let bench = try await Bench()
        for database in [DatabaseScope.public, .shared] {
            await expect(code: .badRequest) {
                try await bench.service.modifyZones(
                    [ZoneOperation(kind: .create, zone: "a")], in: database, for: bench.alice)
            }
        }
        #expect(try await bench.service.listZones(in: .public, for: Caller(user: nil)).map(\.id) == [.publicDefault])
        #expect(try await bench.service.listZones(in: .shared, for: bench.alice).isEmpty)
        await expect(code: .authenticationRequired) {
            try await bench.service.listZones(in: .private, for: Caller(user: nil))
        }
        await expect(code: .badRequest) {
            try await bench.service.modifyZones(
                [ZoneOperation(kind: .create, zone: "a"), ZoneOperation(kind: .delete, zone: "a")], in: .private,
                for: bench.alice)
        }
    }

    @Test func theDefaultZoneStays() async throws {
        let bench = try await Bench()
        #expect(try await bench.zone(.delete, .default).code == .badRequest)
        #expect(try await bench.zone(.create, .default).zone?.isAtomic == false)
        #expect(try await bench.zone(.delete, "none").code == .zoneNotFound)
    }

    /// Creating a zone again changes nothing, and tells nobody.
    @Test func creatingAZoneTwiceIsHarmless() async throws {
        let bench = try await Bench()
        let first = try await bench.zone(.create, "a")
        _ = try await bench.apply(.on("r", .create), in: .private, zone: "a")
        let before = try await bench.lastSequence()
        #expect(try await bench.zone(.create, "a").zone?.id == first.zone?.id)
        #expect(try await bench.lastSequence() == before)
        #expect(try await bench.lookUp("r", in: .private, zone: "a") != nil)
    }

    @Test func aDeletedZoneTakesItsRecordsWithIt() async throws {
        let bench = try await Bench()
        _ = try await bench.zone(.create, "a")
        _ = try await bench.apply(.on("r", .create), in: .private, zone: "a")
        #expect(try await bench.zone(.delete, "a").zone?.isDeleted == true)
        await expect(code: .zoneNotFound) { try await bench.lookUp("r", in: .private, zone: "a") }
        _ = try await bench.zone(.create, "a")
        #expect(try await bench.lookUp("r", in: .private, zone: "a") == nil)
    }

    /// Making and deleting a zone are changes of the private database (design section 12, choice 3).
    @Test func zoneChangesArePublished() async throws {
        let bench = try await Bench()
        _ = try await bench.zone(.create, "a")
        _ = try await bench.apply(.on("r", .create), in: .private, zone: "a")
        _ = try await bench.zone(.delete, "a")
        let changes = try await bench.changes()
        #expect(changes.map(\.kind) == [.created, .created, .deleted])
        #expect(changes.map { $0.zone?.name.rawValue } == ["a", nil, "a"])
        #expect(changes.allSatisfy { $0.affectedZone?.owner == bench.alice.user && $0.database == .private })
        let keys = Set(try await bench.outbox().map(\.key))
        #expect(keys.count == 1, "a user's private database is one ordered partition")
    }

    @Test func aUserHasSoManyZones() async throws {
        let bench = try await Bench()
        for start in stride(from: 0, to: Limits.zonesPerUserMax, by: 200) {
            let operations = (start..<start + 200).map {
                ZoneOperation(kind: .create, zone: GivenZone(name: ZoneName(trusted: "z\($0)")))
            }
            let results = try await bench.service.modifyZones(operations, in: .private, for: bench.alice)
            #expect(results.allSatisfy { $0.code == nil })
        }
        #expect(try await bench.zone(.create, "more").code == .quotaExceeded)
        #expect(try await bench.zone(.create, "z0").code == nil)
        #expect(try await bench.zone(.create, "more", as: bench.bob).code == nil)
    }

    /// A reference that names its own zone, with or without the owner, stays within it; another zone is refused.
    @Test func referencesStayInTheirZone() async throws {
        let bench = try await Bench()
        _ = try await bench.zone(.create, "a")
        let name = ZoneName(trusted: "a")
        for owner in [bench.alice.user!, .defaultOwner] {
            let field = reference("x", zone: ZoneID(name: name, owner: owner))
            let saved = try await bench.apply(.on("r", .forceUpdate, ["f": field]), in: .private, zone: "a")
            #expect(saved.record?.fields[FieldName(trusted: "f")] == reference("x"))
        }
        for zone in [ZoneID(name: name, owner: bench.bob.user!), ZoneID(name: .defaultZone, owner: .defaultOwner)] {
            let refused = try await bench.apply(
                .on("r", .forceUpdate, ["f": reference("x", zone: zone)]), in: .private, zone: "a")
            #expect(refused.code == .badRequest)
        }
    }
}
