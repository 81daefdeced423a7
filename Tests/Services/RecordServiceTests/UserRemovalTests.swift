import CloudMessages
import CloudModel
import Identity
import ProtocolBuffers
import RecordStore
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import RecordService

/// The end of a user.
@Suite struct UserRemovalTests {
    @Test func aUserIsRemovedWithAllThatIsTheirs() async throws {
        let rig = try await RecordServiceRig()
        let (service, alice, bob) = (rig.service, rig.alice, rig.bob)
        _ = try await service.registerDevice(DeviceID(trusted: "phone"), name: "n", platform: "p", for: bob)
        _ = try await service.makeCourier(
            CourierKind("web"), platform: "", .production, client: nil, for: bob)
        for database in [DatabaseScope.public, .private] {
            #expect(try await rig.apply(.create(.draft("s")), in: database, as: bob).code == nil)
        }
        _ = try await rig.zone(.create, "own", as: bob)
        _ = try await rig.apply(.on("in-zone", .create), in: .private, zone: "own", as: bob)
        for number in 0..<450 {
            _ = try await rig.apply(.on("r\(number)", .create), in: .private, as: bob)
        }
        _ = try await rig.apply(.on("public", .create), as: bob)
        _ = try await rig.zone(.create, "alices")
        var share = RecordOperation.on("cloudkit.zoneshare", .create)
        share.recordType = .share
        share.share = GivenShare(participants: [.init(user: bob.user!, permission: .readWrite)])
        let shared = try await rig.apply(share, in: .private, zone: "alices")
        let guid = try #require(shared.record?.shareDetails?.shortGUID)
        _ = try await service.acceptShares([guid], for: bob)[0].get()
        let session = try await rig.identity.beginSession(of: bob.user!, isBrief: false)

        let removal = try await rig.removeUser(bob.user!)
        #expect(
            [removal.devices, removal.subscriptions, removal.shares, removal.zones, removal.records]
                == [1, 2, 1, 1, 450])
        await expect(code: .authenticationFailed) { try await rig.identity.check(session) }
        #expect(try await service.listDevices(for: bob).isEmpty)
        #expect(try await service.listSubscriptions(in: .public, for: bob).isEmpty)
        #expect(try await service.listZones(in: .private, for: bob).count == 1)
        #expect(try await rig.lookUp("r1", in: .private, as: bob) == nil)
        #expect(try await service.listZones(in: .shared, for: bob).isEmpty)
        #expect(
            try await rig.lookUp("cloudkit.zoneshare", in: .private, zone: "alices")?.shareDetails?.participants == []
        )
        #expect(try await rig.lookUp("public") != nil, "what was given to all stays")
        #expect(try await !rig.identity.listUsers(after: "", limit: 10).contains { $0.profile.name == bob.user })
        // All of it is published: devices, subscriptions and records are gone for the matchers and deliverers, too.
        let rows = try await rig.outbox()
        let events = try rows.filter { $0.destination == .deliveries }.map { try DeliveryEntry(decoding: $0.value!) }
        #expect(events.count { if case .unregistered? = $0.event { true } else { false } } == 2)
        // Delivery takes the user's journal and state behind everything else.
        #expect(
            events.last.map { if case .userRemoved? = $0.event { $0.user == bob.user!.rawValue } else { false } }
                == true)
        #expect(rows.last?.destination == .deliveries)
        #expect(rows.count { $0.destination == .subscriptions } >= 4)
        #expect(try await rig.changes().count { $0.kind == .deleted && $0.database == .private } >= 451)
        // Removing again finds nothing more, and the name is nobody's next.
        #expect(try await rig.removeUser(bob.user!) == RecordService.UserRemoval())
        #expect(try await rig.identity.signInForDevelopment(as: "bob") != bob.user)
        await expect(code: .notFound) { try await rig.removeUser(UserRecordName(trusted: "_nobody")) }
        #expect(try await service.listZones(in: .private, for: alice).count == 2)
    }

    /// A zone with many records is invisible at once and removed in steps, all of which are done when the removal is;
    /// others save meanwhile. No change is published for each record: the zone's covers them.
    @Test func aLargeZoneGoesInSteps() async throws {
        let rig = try await RecordServiceRig()
        let (service, bob) = (rig.service, rig.bob)
        _ = try await rig.zone(.create, "large", as: bob)
        for start in stride(from: 0, to: 3000, by: Limits.operationsMax) {
            _ = try await service.modifyRecords(
                (start..<start + Limits.operationsMax).map { .on("r\($0)", .create) }, in: .private, zone: "large",
                for: bob)
        }
        let before = try await rig.lastSequence()
        async let saved = rig.apply(.on("meanwhile", .create))
        let removal = try await rig.removeUser(bob.user!)
        #expect(removal.zones == 1 && removal.records == 0)
        #expect(try await saved.code == nil)
        // Nothing is left for a service that does not get the deletion.
        let left = try await service.store.write { try $0.removeDroppedRecords(limit: 1, bytesMax: 1) }
        #expect(left == nil)
        let usage = try await service.store.read { try $0.usage(of: bob.user!) }
        #expect(usage[.privateRecords] == 0 && usage[.privateBytes] == 0)
        let deleted = try await rig.changes().filter { $0.sequence.rawValue > before && $0.kind == .deleted }
        #expect(deleted.map { $0.zone?.name.rawValue } == ["large"], "\(deleted.count)")
    }
}
