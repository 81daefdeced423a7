import CloudModel
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// A change of the shared database names those who may read it, and nobody else (G8).
@Suite struct ShareReaderTests {
    private let zone: GivenZone = "a"

    private func save(
        _ rig: RecordServiceRig, _ name: String, below parent: String?? = .none
    ) async throws {
        var operation = RecordOperation.touch(name)
        if let parent { operation.parent = .some(parent.map { RecordName(trusted: $0) }) }
        let outcome = try await rig.apply(operation, in: .private, zone: zone)
        #expect(outcome.code == nil, "\(outcome)")
    }

    private func share(
        _ rig: RecordServiceRig, _ permission: Share.Permission?, of root: String?, open: Share.Permission = .none
    ) async throws -> String {
        var operation = RecordOperation.on(root.map { "share-\($0)" } ?? "cloudkit.zoneshare", .forceUpdate)
        operation.recordType = .share
        operation.share = GivenShare(
            root: root.map { RecordName(trusted: $0) }, publicPermission: open,
            participants: permission.map { [.init(user: rig.bob.user!, permission: $0)] } ?? [])
        let outcome = try await rig.apply(operation, in: .private, zone: zone)
        return try #require(outcome.record?.shareDetails?.shortGUID, "\(outcome)")
    }

    /// The changes in the shared database while `work` ran: `+`, `*`, `-` and a record's name, or `zone`.
    private func sharedEvents(_ rig: RecordServiceRig, _ work: () async throws -> Void) async throws -> [String] {
        let before = try await rig.changes().count
        try await work()
        return try await rig.changes().dropFirst(before).filter { $0.database == .shared }.map { change in
            #expect(change.participants == [rig.bob.user!])
            let sign = [Change.Kind.created: "+", .updated: "*", .deleted: "-"][change.kind]!
            return sign + (change.matched?.name.rawValue ?? "zone")
        }
    }

    @Test(arguments: ["root", nil])
    func participantsWithoutPermissionGetNothing(root: String?) async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, zone)
        try await save(rig, "root")
        let guid = try await share(rig, .readWrite, of: root)
        _ = try await rig.service.acceptShares([guid], for: rig.bob)[0].get()
        #expect(try await sharedEvents(rig) { try await save(rig, "root") } == ["*root"])
        let began = try await rig.service.databaseChanges(since: nil, in: .shared, for: rig.bob).syncToken
        // The zone goes from him as if he had been left out, and nothing of the share itself comes any more.
        #expect(
            try await sharedEvents(rig) { _ = try await share(rig, Share.Permission.none, of: root) }.contains("-zone"))
        #expect(try await sharedEvents(rig) { try await save(rig, "root") } == [])
        #expect(try await sharedEvents(rig) { _ = try await share(rig, Share.Permission.none, of: root) } == [])
        await expect(code: .notFound) { try await rig.service.resolveShares([guid], for: rig.bob)[0].get() }
        await expect(code: .notFound) { try await rig.service.acceptShares([guid], for: rig.bob)[0].get() }
        let gone = try await rig.service.databaseChanges(since: began, in: .shared, for: rig.bob)
        #expect(gone.zones.map(\.isDeleted) == [true])
        // And comes back with the permission, to be read again.
        #expect(try await sharedEvents(rig) { _ = try await share(rig, .readOnly, of: root) }.contains("+zone"))
        #expect(try await sharedEvents(rig) { try await save(rig, "root") } == ["*root"])
        let back = try await rig.service.databaseChanges(since: gone.syncToken, in: .shared, for: rig.bob)
        #expect(back.zones.map(\.isDeleted) == [false])
        // The end of the zone is no news for those who had no access.
        _ = try await share(rig, Share.Permission.none, of: root)
        #expect(try await sharedEvents(rig) { _ = try await rig.zone(.delete, zone) } == [])
    }

    /// Of one request: changes after the removal are not published to the participant, nor is the removal itself.
    @Test func aRemovedParticipantGetsNothingAfterwards() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, zone)
        let guid = try await share(rig, .readOnly, of: nil)
        _ = try await rig.service.acceptShares([guid], for: rig.bob)[0].get()
        var removal = RecordOperation.on("cloudkit.zoneshare", .forceUpdate)
        removal.recordType = .share
        removal.share = GivenShare(participants: [])
        let events = try await sharedEvents(rig) {
            _ = try await rig.service.modifyRecords(
                [.on("before", .create), removal, .on("after", .create)], in: .private, zone: zone, for: rig.alice)
        }
        #expect(events == ["+before", "-zone"])
    }

    /// A record that leaves a share is deleted for its readers; its new values are not theirs.
    @Test func movesAreDeletionsAndCreations() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, zone)
        try await save(rig, "root")
        try await save(rig, "child", below: "root")
        let guid = try await share(rig, .readOnly, of: "root")
        _ = try await rig.service.acceptShares([guid], for: rig.bob)[0].get()
        #expect(try await sharedEvents(rig) { try await save(rig, "child", below: .some(nil)) } == ["-child"])
        let last = try #require(try await rig.changes().last { $0.database == .shared })
        #expect(last.after == nil && last.before?.parent?.rawValue == "root")
        #expect(try await sharedEvents(rig) { try await save(rig, "child") } == [])
        #expect(try await sharedEvents(rig) { try await save(rig, "child", below: "root") } == ["+child"])
        #expect(try await rig.changes().last { $0.database == .shared }?.before == nil)
    }
}
