import CloudModel
import EventLog
import Messages
import RecordStore
import SQLite
import Synchronization
import Testing

@testable import RecordService

/// What is taken back, and the end of a user.
@Suite struct UserRemovalTests {
    /// What a process found out is good for a second at most; another one takes it back.
    @Test func whatAnotherProcessTakesBackIsGoneWithinASecond() async throws {
        let bench = try await Bench()
        let service = bench.service
        let other = RecordService(layout: service.layout, store: service.store, now: { bench.now })
        let token = try await service.makeAPIToken(note: "n")
        let (keyID, _) = try await service.makeServerKey(note: "k")
        let session = try await service.beginSession(of: bench.alice.user!, isBrief: false)
        func standing() async throws -> [Bool] {
            var isGood = true
            do { try await service.check(session) } catch { isGood = false }
            return [try await service.apiToken(token) != nil, try await service.hasServerKey(keyID), isGood]
        }
        #expect(try await standing() == [true, true, true])
        _ = try await other.revokeAPIToken(token)
        try await other.revokeServerKey(keyID)
        try await other.endSessions(of: bench.alice.user!)
        bench.move(by: .seconds(1))
        #expect(try await standing() == [false, false, false])
        await expect(code: .notFound) { try await other.revokeAPIToken(token) }
        await expect(code: .notFound) { try await other.revokeServerKey(keyID) }
    }

    /// A digest, as the list shows it, is as good as the token to the operator, and is no token to anybody.
    @Test func tokensAreListedByDigestAlone() async throws {
        let bench = try await Bench()
        let token = try await bench.service.makeAPIToken(note: "web", origins: ["https://a.example"])
        let listed = try await bench.service.listAPITokens()
        #expect(listed.map(\.note) == ["web"] && listed[0].origins == ["https://a.example"] && listed[0].id != token)
        #expect(try await bench.service.apiToken(listed[0].id) == nil)
        _ = try await bench.service.revokeAPIToken(listed[0].id)
        #expect(try await bench.service.apiToken(token) == nil, "in this process at once")
    }

    /// Nobody fills the memory with names, and one user's ends do not cost another's.
    @Test func whatIsRememberedIsBounded() async throws {
        let bench = try await Bench()
        for number in 0..<50 { #expect(try await bench.service.apiToken("unknown-\(number)") == nil) }
        let tokens = bench.service.identities.withLock { cache in cache.tokens.count }
        #expect(tokens == 0)
        let session = try await bench.service.beginSession(of: bench.bob.user!, isBrief: false)
        try await bench.service.check(session)
        for _ in 0...Limits.endedSessionsMax {
            let own = try await bench.service.beginSession(of: bench.alice.user!, isBrief: false)
            try await bench.service.end(own, until: Timestamp(milliseconds: .max))
            let bobs = bench.service.identities.withLock { cache in cache.accounts[bench.bob.user!] }
            #expect(bobs != nil)
        }
        let account = try await bench.service.store.read { try $0.account(of: bench.alice.user!) }
        #expect(account?.endedSessions.isEmpty == true && account?.sessionEpoch == 1, "of too many, all end")
        try await bench.service.check(session)
    }

    @Test func aUserIsRemovedWithAllThatIsTheirs() async throws {
        let bench = try await Bench()
        let (service, alice, bob) = (bench.service, bench.alice, bench.bob)
        _ = try await service.registerDevice(DeviceID(trusted: "phone"), name: "n", platform: "p", for: bob)
        _ = try await service.makeCourier(
            CourierKind("web"), platform: "", .production, client: nil, for: bob)
        for database in [DatabaseScope.public, .private] {
            #expect(try await bench.apply(.create(.draft("s")), in: database, as: bob).code == nil)
        }
        _ = try await bench.zone(.create, "own", as: bob)
        _ = try await bench.apply(.on("in-zone", .create), in: .private, zone: "own", as: bob)
        for number in 0..<450 {
            _ = try await bench.apply(.on("r\(number)", .create), in: .private, as: bob)
        }
        _ = try await bench.apply(.on("public", .create), as: bob)
        _ = try await bench.zone(.create, "alices")
        var share = RecordOperation.on("cloudkit.zoneshare", .create)
        share.recordType = .share
        share.share = GivenShare(participants: [.init(user: bob.user!, permission: .readWrite)])
        let shared = try await bench.apply(share, in: .private, zone: "alices")
        let guid = try #require(shared.record?.shareDetails?.shortGUID)
        _ = try await service.acceptShares([guid], for: bob)[0].get()
        let session = try await service.beginSession(of: bob.user!, isBrief: false)

        let removal = try await service.removeUser(bob.user!)
        #expect(
            [removal.devices, removal.subscriptions, removal.shares, removal.zones, removal.records]
                == [2, 2, 1, 1, 450])
        await expect(code: .authenticationFailed) { try await service.check(session) }
        #expect(try await service.listDevices(for: bob).isEmpty)
        #expect(try await service.listSubscriptions(in: .public, for: bob).isEmpty)
        #expect(try await service.listZones(in: .private, for: bob).count == 1)
        #expect(try await bench.lookUp("r1", in: .private, as: bob) == nil)
        #expect(try await service.listZones(in: .shared, for: bob).isEmpty)
        #expect(
            try await bench.lookUp("cloudkit.zoneshare", in: .private, zone: "alices")?.shareDetails?.participants == []
        )
        #expect(try await bench.lookUp("public") != nil, "what was given to all stays")
        #expect(try await !service.listUsers(after: "", limit: 10).contains { $0.profile.name == bob.user })
        // All of it is published: devices, subscriptions and records are gone for the matchers and deliverers, too.
        let rows = try await bench.outbox()
        let events = try rows.filter { $0.destination == .deliveries }.map { try DeliveryEntry(decoding: $0.value!) }
        #expect(events.count { if case .unregistered? = $0.event { true } else { false } } == 2)
        #expect(rows.count { $0.destination == .subscriptions } >= 4)
        #expect(try await bench.changes().count { $0.kind == .deleted && $0.database == .private } >= 451)
        // Removing again finds nothing more, and the name is nobody's next.
        #expect(try await service.removeUser(bob.user!) == RecordService.UserRemoval())
        #expect(try await service.signInForDevelopment(as: "bob") != bob.user)
        await expect(code: .notFound) { try await service.removeUser(UserRecordName(trusted: "_nobody")) }
        #expect(try await service.listZones(in: .private, for: alice).count == 2)
    }

    /// A zone of many records goes out of sight at once and then in steps, all of which are done when the removal is; others
    /// save meanwhile. No change is published for each record: the zone's tells of all.
    @Test func aLargeZoneGoesInSteps() async throws {
        let bench = try await Bench()
        let (service, bob) = (bench.service, bench.bob)
        _ = try await bench.zone(.create, "large", as: bob)
        for start in stride(from: 0, to: 3000, by: Limits.operationsMax) {
            _ = try await service.modifyRecords(
                (start..<start + Limits.operationsMax).map { .on("r\($0)", .create) }, in: .private, zone: "large",
                for: bob)
        }
        let before = try await bench.lastSequence()
        async let saved = bench.apply(.on("meanwhile", .create))
        let removal = try await service.removeUser(bob.user!)
        #expect(removal.zones == 1 && removal.records == 0)
        #expect(try await saved.code == nil)
        // Nothing is left for a service that is not told of the deletion.
        let left = try await service.store.write { try $0.removeDroppedRecords(limit: 1, bytesMax: 1) }
        #expect(left == nil)
        let usage = try await service.store.read { try $0.usage(of: bob.user!) }
        #expect(usage[.privateRecords] == 0 && usage[.privateBytes] == 0)
        let deleted = try await bench.changes().filter { $0.sequence.rawValue > before && $0.kind == .deleted }
        #expect(deleted.map { $0.zone?.name.rawValue } == ["large"], "\(deleted.count)")
    }

    @Test func nobodySignsInToProductionByName() async throws {
        let bench = try await Bench(.production, signIn: true)
        await expect(code: .accessDenied) { try await bench.service.signInForDevelopment(as: "alice") }
    }
}
