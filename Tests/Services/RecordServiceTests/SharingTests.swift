import CloudModel
import Identity
import ProtocolBuffers
import RecordService
import RecordStore
import TestSupport
import Testing

/// Shared zones and hierarchies of records (docs/cloudkit.md#model; docs/choices.md, 15; G8).
@Suite struct SharingTests {
    @Test func aSharedZoneIsSeenOnceItIsAccepted() async throws {
        let setting = try await SharingSetting()
        let (rig, bob) = (setting.rig, setting.rig.bob)
        let share = try await setting.share([(bob, .readOnly)])
        #expect(share.code == nil, "\(share)")
        #expect(try await !setting.sees("other", bob), "an invitation alone opens nothing")
        #expect(try await setting.accept(share, as: setting.carol) == .notFound)
        #expect(try await setting.accept(share, as: bob) == nil)
        #expect(try await setting.accept(share, as: bob) == nil)
        let zones = try await rig.service.listZones(in: .shared, for: bob)
        #expect(zones.map(\.id.owner) == [rig.alice.user])
        for name in ["root", "child", "other", "cloudkit.zoneshare"] { #expect(try await setting.sees(name, bob)) }
        #expect(try await !setting.sees("other", setting.carol))
        #expect(try await rig.service.listZones(in: .shared, for: setting.carol).isEmpty)
        #expect(try await setting.page(bob).names.sorted() == ["child", "cloudkit.zoneshare", "other", "root"])
        await expect(code: .zoneNotFound) { try await setting.page(setting.carol) }
        // Reading only.
        #expect(try await setting.save("other", as: bob).code == .accessDenied)
        #expect(try await setting.save("new", as: bob).code == .accessDenied)
        #expect(try await setting.save("other", .forceDelete, as: bob).code == .accessDenied)
    }

    @Test func aParticipantWritesWhereThatIsGranted() async throws {
        let setting = try await SharingSetting()
        let (rig, bob) = (setting.rig, setting.rig.bob)
        _ = try await setting.accept(try await setting.share([(bob, .readWrite)]), as: bob)
        #expect(try await setting.save("new", as: bob).record?.created.user == bob.user)
        #expect(try await rig.lookUp("new", in: .private, zone: "a") != nil)
        #expect(try await setting.save("other", .forceDelete, as: bob).deleted != nil)
        var operation = RecordOperation.on("cloudkit.zoneshare", .forceUpdate)
        operation.recordType = .share
        operation.share = GivenShare(publicPermission: .readWrite)
        let refused = try await rig.apply(operation, in: .shared, zone: setting.zone, as: bob)
        #expect(refused.code == .accessDenied)
        await expect(code: .zoneNotFound) { try await setting.save("new", as: setting.carol) }
    }

    @Test func aSharedHierarchyShowsNothingElse() async throws {
        let setting = try await SharingSetting()
        let (rig, bob) = (setting.rig, setting.rig.bob)
        let share = try await setting.share([(bob, .readWrite)], of: "root")
        #expect(try await rig.lookUp("root", in: .private, zone: "a")?.share == share.record?.name)
        _ = try await setting.accept(share, as: bob)
        for name in ["root", "child", "share-root"] { #expect(try await setting.sees(name, bob)) }
        #expect(try await !setting.sees("other", bob))
        let first = try await setting.page(bob)
        #expect(Set(first.names) == ["root", "child", "share-root"])
        // Other records of the zone come and go unseen, their names too.
        try await setting.save("other")
        try await setting.save("secret")
        _ = try await setting.save("other", .forceDelete)
        try await setting.save("grandchild", parent: "child")
        let second = try await setting.page(bob, since: first.syncToken)
        #expect(second.names == ["grandchild"])
        _ = try await setting.save("grandchild", .forceDelete)
        #expect(try await setting.page(bob, since: second.syncToken).names == ["-grandchild"])
        // Writing stays below the root.
        #expect(try await setting.save("mine", as: bob).code == .accessDenied)
        #expect(try await setting.save("mine", parent: "secret", as: bob).code == .accessDenied)
        #expect(try await setting.save("secret", parent: "root", as: bob).code == .accessDenied)
        #expect(try await setting.save("mine", parent: "child", as: bob).code == nil)
        #expect(try await setting.save("root", .forceDelete, as: bob).code == .accessDenied)
    }

    /// An address without a user is an invitation for the user who signs in with it first, or accepts with it.
    @Test func addressesInviteFutureUsers() async throws {
        let setting = try await SharingSetting()
        let service = setting.rig.service
        let late = try await setting.rig.identity.user(UserIdentity(issuer: "i", subject: "late"))
        func share(_ addresses: [String]) async throws -> Outcome {
            var operation = RecordOperation.on("cloudkit.zoneshare", .forceUpdate)
            operation.recordType = .share
            operation.share = GivenShare(
                participants: addresses.map { .init(person: .emailAddress($0), permission: .readOnly) })
            return try await setting.rig.apply(operation, in: .private, zone: setting.zone)
        }
        let made = try await share(["New@example.com", "late@example.com"])
        let people = try #require(made.record?.shareDetails?.participants)
        #expect(people.map(\.emailAddress) == ["New@example.com", "late@example.com"])
        #expect(people.allSatisfy { $0.accepted == nil } && Set(people.map(\.user)).count == 2)
        // They are no users that could be looked up, and asking again means the same.
        #expect(try await service.lookUpUsers([.recordName(people[0].user)], for: setting.rig.bob) == [nil])
        #expect(
            try await share(["new@example.com", "late@example.com"]).record?.shareDetails?.participants.map(\.user)
                == people.map(\.user))
        #expect(try await setting.accept(made, as: setting.rig.bob) == .notFound)
        // Somebody new.
        let new = try await setting.rig.identity.user(
            UserIdentity(issuer: "i", subject: "new"),
            IdentityClaims(email: "NEW@example.com", givenName: nil, familyName: nil))
        #expect(new == people[0].user)
        #expect(try await setting.accept(made, as: Caller(user: new)) == nil)
        // Somebody who was a user before and has the address now.
        #expect(try await setting.accept(made, as: Caller(user: late)) == .notFound)
        _ = try await setting.rig.identity.user(
            UserIdentity(issuer: "i", subject: "late"),
            IdentityClaims(email: "late@example.com", givenName: nil, familyName: nil))
        #expect(try await setting.accept(made, as: Caller(user: late)) == nil)
        #expect(try await setting.sees("root", Caller(user: late)))
        // A known user is the addressee of an address.
        let again = try #require(
            try await share(["new@example.com", "late@example.com"]).record?.shareDetails?.participants)
        #expect(again.map(\.user) == [new, late] && again.allSatisfy { $0.accepted != nil })
    }

    /// The share comes before the record that names it.
    @Test func aRecordNamesTheShareThatTheSameRequestMakes() async throws {
        let setting = try await SharingSetting()
        let rig = setting.rig
        var share = RecordOperation.on("s", .create)
        share.recordType = .share
        share.share = GivenShare(participants: [.init(user: rig.bob.user!, permission: .readOnly)])
        var root = RecordOperation.on("top", .create)
        root.shareName = RecordName(trusted: "s")
        let results = try await rig.service.modifyRecords(
            [share, root], in: .private, zone: setting.zone, for: rig.alice
        ).map(Outcome.init)
        #expect(results.map { $0.error?.code } == [nil, nil])
        #expect(results[0].record?.shareDetails?.root == results[1].record?.name)
        #expect(results[1].record == (try await rig.lookUp("top", in: .private, zone: setting.zone)))
        #expect(results[1].record?.share == results[0].record?.name)
        #expect(try await setting.accept(results[0], as: rig.bob) == nil)
        #expect(try await setting.sees("top", rig.bob))
    }

    /// Pages of one record, over two owners' zones: records that are not shared are not found, and do not show in the
    /// markers.
    @Test func sharedQueriesFindSharedRecords() async throws {
        let setting = try await SharingSetting()
        let (rig, bob) = (setting.rig, setting.rig.bob)
        #expect(try await setting.found(.all, bob) == [])
        _ = try await setting.accept(try await setting.share([(bob, .readOnly)], of: "root"), as: bob)
        try await setting.save("grandchild", parent: "child")
        #expect(try await setting.found(.one(setting.zone), bob) == ["root", "child", "grandchild"])
        #expect(try await setting.found(.all, bob) == ["root", "child", "grandchild"])
        // A whole zone of another owner besides.
        _ = try await rig.zone(.create, GivenZone(name: ZoneName(trusted: "z")), as: setting.carol)
        let theirs = GivenZone(name: ZoneName(trusted: "z"), owner: setting.carol.user)
        _ = try await rig.apply(.on("hers", .create), in: .private, zone: theirs, as: setting.carol)
        var share = RecordOperation.on("cloudkit.zoneshare", .create)
        share.recordType = .share
        share.share = GivenShare(participants: [.init(user: bob.user!, permission: .readWrite)])
        _ = try await setting.accept(
            try await rig.apply(share, in: .private, zone: theirs, as: setting.carol), as: bob)
        #expect(Set(try await setting.found(.all, bob)) == ["root", "child", "grandchild", "hers"])
        #expect(try await setting.found(.one(setting.zone), bob) == ["root", "child", "grandchild"])
        _ = try await setting.share([], of: "root")
        #expect(try await setting.found(.all, bob) == ["hers"])
    }

    /// Unchanged records that come into a hierarchy or leave it: the participant has to read it again.
    @Test func movesBetweenHierarchiesApplyAtOnce() async throws {
        let setting = try await SharingSetting()
        let bob = setting.rig.bob
        try await setting.save("below", parent: "other")
        _ = try await setting.accept(try await setting.share([(bob, .readOnly)], of: "root"), as: bob)
        let first = try await setting.page(bob)
        try await setting.save("other", parent: "root")
        await expect(code: .changeTokenExpired) { try await setting.page(bob, since: first.syncToken) }
        let second = try await setting.page(bob)
        #expect(Set(second.names) == ["root", "child", "share-root", "other", "below"])
        var out = RecordOperation.on("other", .forceUpdate)
        out.parent = .some(nil)
        _ = try await setting.rig.apply(out, in: .private, zone: "a")
        await expect(code: .changeTokenExpired) { try await setting.page(bob, since: second.syncToken) }
        #expect(Set(try await setting.page(bob).names) == ["root", "child", "share-root"])
    }

    @Test(arguments: ["removed", "share deleted", "root deleted", "zone deleted", "made private"])
    func accessEnds(how: String) async throws {
        let setting = try await SharingSetting()
        let (rig, bob) = (setting.rig, setting.rig.bob)
        let root: String? = how == "root deleted" ? "root" : nil
        let isOpen = how == "made private"
        let share = try await setting.share(
            isOpen ? [] : [(bob, .readOnly)], of: root, open: isOpen ? .readOnly : .none)
        #expect(try await setting.accept(share, as: bob) == nil)
        let before = try await setting.sharedChanges(bob)
        #expect(before.zones.map(\.isDeleted) == [false])
        let token = try await setting.page(bob).syncToken
        switch how {
        case "removed", "made private": #expect(try await setting.share([]).code == nil)
        case "share deleted": #expect(try await setting.save("cloudkit.zoneshare", .forceDelete).code == nil)
        case "root deleted":
            #expect(try await setting.save("root", .forceDelete).code == .validatingReferenceError, "it has a child")
            let results = try await rig.service.modifyRecords(
                [.on("root", .forceDelete), .on("child", .forceDelete)], in: .private, zone: setting.zone,
                for: rig.alice)
            #expect(results.allSatisfy { !$0.isFailure }, "\(results)")
        default: _ = try await rig.zone(.delete, "a")
        }
        #expect(try await !setting.sees("child", bob))
        #expect(try await rig.service.listZones(in: .shared, for: bob).isEmpty)
        let after = try await setting.sharedChanges(bob, since: before.syncToken)
        #expect(after.zones.map(\.isDeleted) == [true] && after.zones[0].id.owner == rig.alice.user)
        await expect(code: .zoneNotFound) { try await setting.page(bob, since: token) }
        if how == "removed" || how == "made private" {
            #expect(try await setting.accept(share, as: bob) == .notFound)
        }
        if how == "root deleted" { #expect(try await rig.lookUp("share-root", in: .private, zone: "a") == nil) }
    }

    /// A participant who is added again reads from the start.
    @Test func tokensOfAnEarlierAcceptanceExpire() async throws {
        let setting = try await SharingSetting()
        let bob = setting.rig.bob
        let share = try await setting.share([(bob, .readOnly)])
        _ = try await setting.accept(share, as: bob)
        let token = try await setting.page(bob).syncToken
        let zones = try await setting.sharedChanges(bob).syncToken
        try await setting.share([])
        try await setting.share([(bob, .readOnly)])
        #expect(try await setting.accept(share, as: bob) == nil)
        await expect(code: .changeTokenExpired) { try await setting.page(bob, since: token) }
        #expect(try await setting.sharedChanges(bob, since: zones).zones.map(\.isDeleted) == [false])
    }

    @Test func anOpenShareIsAcceptedByItsLink() async throws {
        let setting = try await SharingSetting()
        let share = try await setting.share([], open: .readOnly)
        #expect(try await setting.accept(share, as: setting.carol) == nil)
        #expect(try await setting.sees("other", setting.carol))
        #expect(try await setting.save("other", as: setting.carol).code == .accessDenied)
        let details = try await setting.rig.lookUp("cloudkit.zoneshare", in: .private, zone: "a")?.shareDetails
        #expect(details?.participants.map(\.role) == [.publicUser])
        await expect(code: .notFound) {
            try await setting.rig.service.resolveShares(["none"], for: setting.carol)[0].get()
        }
    }

    @Test func aShareHasSoManyParticipants() async throws {
        let setting = try await SharingSetting()
        let people = (0...Limits.participantsMax).map { number in
            let digits = String(number)
            let name = "_" + String(repeating: "0", count: 32 - digits.utf8.count) + digits
            return (Caller(user: UserRecordName(trusted: name)), Share.Permission.readOnly)
        }
        #expect(try await setting.share(people).code == .quotaExceeded)
        #expect(try await setting.share(Array(people.dropFirst())).code == nil)
        #expect(try await setting.share([people[0], people[0]]).code == .badRequest)
    }

    @Test func onlyCustomZonesAndExistingRecordsCanBeShared() async throws {
        let setting = try await SharingSetting()
        #expect(try await setting.share([], of: "nobody").code == .validatingReferenceError)
        #expect(try await setting.share([], of: "root").code == nil)
        var again = RecordOperation.on("second", .create)
        again.recordType = .share
        again.share = GivenShare(root: RecordName(trusted: "root"))
        let refused = try await setting.rig.apply(again, in: .private, zone: "a")
        #expect(refused.code == .exists && refused.error?.share == RecordName(trusted: "share-root"), "\(refused)")
        for database in [DatabaseScope.private, .public] {
            #expect(try await setting.rig.apply(again, in: database).code == .badRequest)
        }
    }

    /// What participants may see is also a change of the shared database, which names them.
    @Test func changesOfSharedRecordsNameTheParticipants() async throws {
        let setting = try await SharingSetting()
        let (rig, bob) = (setting.rig, setting.rig.bob)
        _ = try await setting.accept(
            try await setting.share([(bob, .readWrite), (setting.carol, .readOnly)], of: "root"), as: bob)
        let before = try await rig.changes().count
        try await setting.save("child")
        try await setting.save("other")
        let changes = try await rig.changes().dropFirst(before)
        #expect(changes.map(\.database) == [.private, .shared, .private])
        let shared = changes.first { $0.database == .shared }
        #expect(shared?.participants == [bob.user!] && shared?.after?.name.rawValue == "child")
        let rows = try await rig.outbox().filter { $0.destination == .changes(.shared) }
        #expect(rows.allSatisfy { $0.key == Array(rig.alice.user!.rawValue.utf8) })
    }

    @Test("a participant can leave a share, and nobody else")
    func sharesAreLeft() async throws {
        let setting = try await SharingSetting()
        let (bob, carol) = (setting.rig.bob, setting.carol)
        _ = try await setting.accept(try await setting.share([(bob, .readWrite)], of: "other"), as: bob)
        _ = try await setting.accept(try await setting.share([(carol, .readOnly)], of: "root"), as: carol)
        #expect(try await setting.save("share-other", .forceDelete, as: carol).code == nil)
        #expect(try await setting.sees("other", bob), "what carol cannot see she does not leave")
        #expect(try await setting.save("share-root", .forceDelete, as: carol).deleted != nil)
        #expect(try await !setting.sees("root", carol))
        #expect(try await setting.rig.service.listZones(in: .shared, for: carol).isEmpty)
        #expect(try await setting.save("share-other", .forceDelete, as: bob).deleted != nil)
        #expect(try await !setting.sees("other", bob))
        for name in ["share-root", "share-other"] {
            let share = try await setting.rig.lookUp(name, in: .private, zone: "a")?.shareDetails
            #expect(share?.participants == [], "\(name) goes on for its owner")
        }
    }

    @Test("an administrator who is not among the participants any more has left")
    func administratorsLeaveByTheList() async throws {
        let setting = try await SharingSetting()
        let (rig, bob) = (setting.rig, setting.rig.bob)
        func save(_ people: [GivenShare.Participant], as caller: Caller? = nil) async throws -> Outcome {
            var operation = RecordOperation.on("cloudkit.zoneshare", .forceUpdate)
            operation.recordType = .share
            operation.share = GivenShare(participants: people)
            return try await rig.apply(
                operation, in: caller == nil ? .private : .shared, zone: setting.zone, as: caller)
        }
        let made = try await save([.init(user: bob.user!, permission: .readOnly, role: .administrator)])
        #expect(try await setting.accept(made, as: bob) == nil)
        let kept = try await save([.init(user: bob.user!, permission: nil)], as: bob)
        #expect(kept.record?.shareDetails?.participants.map(\.role) == [.administrator])
        #expect(kept.record?.shareDetails?.participants.map(\.permission) == [.readOnly])
        #expect(try await save([], as: bob).code == nil)
        #expect(try await !setting.sees("other", bob))
        #expect(try await setting.accept(made, as: bob) == .notFound)
    }

    /// docs/choices.md, 3 for participants: the zone comes with the first share that is accepted, and goes with the
    /// last.
    @Test func zonesComeIntoTheSharedDatabaseAndGo() async throws {
        let setting = try await SharingSetting()
        let (rig, bob) = (setting.rig, setting.rig.bob)
        func zoneChanges() async throws -> [Change] {
            try await rig.changes().filter { $0.database == .shared && $0.zone != nil }
        }
        let share = try await setting.share([(bob, .readOnly)], of: "other")
        #expect(try await zoneChanges().isEmpty)
        _ = try await setting.accept(share, as: bob)
        _ = try await setting.accept(try await setting.share([(bob, .readOnly)], of: "root"), as: bob)
        #expect(try await zoneChanges().map(\.kind) == [.created])
        _ = try await setting.share([], of: "other")
        #expect(try await zoneChanges().map(\.kind) == [.created])
        _ = try await setting.share([], of: "root")
        #expect(try await zoneChanges().map(\.kind) == [.created, .deleted])
        _ = try await setting.accept(try await setting.share([(bob, .readOnly)], of: "other"), as: bob)
        _ = try await rig.zone(.delete, "a")
        let changes = try await zoneChanges()
        #expect(changes.map(\.kind) == [.created, .deleted, .created, .deleted])
        #expect(changes.allSatisfy { $0.participants == [bob.user!] && $0.zone?.owner == rig.alice.user })
    }
}
