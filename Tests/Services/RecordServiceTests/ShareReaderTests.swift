import CloudModel
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// A change of the shared database names those who may read it, and nobody else (G8).
@Suite struct ShareReaderTests {
    private let zone: GivenZone = "a"

    private func save(
        _ bench: Bench, _ name: String, below parent: String?? = .none
    ) async throws {
        var operation = RecordOperation.on(name, .forceUpdate)
        if let parent { operation.parent = .some(parent.map { RecordName(trusted: $0) }) }
        let outcome = try await bench.apply(operation, in: .private, zone: zone)
        #expect(outcome.code == nil, "\(outcome)")
    }

    private func share(
        _ bench: Bench, _ permission: Share.Permission?, of root: String?, open: Share.Permission = .none
    ) async throws -> String {
        var operation = RecordOperation.on(root.map { "share-\($0)" } ?? "cloudkit.zoneshare", .forceUpdate)
        operation.recordType = .share
        operation.share = GivenShare(
            root: root.map { RecordName(trusted: $0) }, publicPermission: open,
            participants: permission.map { [.init(user: bench.bob.user!, permission: $0)] } ?? [])
        let outcome = try await bench.apply(operation, in: .private, zone: zone)
        return try #require(outcome.record?.shareDetails?.shortGUID, "\(outcome)")
    }

    /// What happened in the shared database while `work` ran: `+`, `*`, `-` and a record's name, or `zone`.
    private func told(_ bench: Bench, _ work: () async throws -> Void) async throws -> [String] {
        let before = try await bench.changes().count
        try await work()
        return try await bench.changes().dropFirst(before).filter { $0.database == .shared }.map { change in
            #expect(change.participants == [bench.bob.user!])
            let sign = [Change.Kind.created: "+", .updated: "*", .deleted: "-"][change.kind]!
            return sign + (change.matched?.name.rawValue ?? "zone")
        }
    }

    @Test(arguments: ["root", nil])
    func whoMayDoNothingHearsNothing(root: String?) async throws {
        let bench = try await Bench()
        _ = try await bench.zone(.create, zone)
        try await save(bench, "root")
        let guid = try await share(bench, .readWrite, of: root)
        _ = try await bench.service.acceptShares([guid], for: bench.bob)[0].get()
        #expect(try await told(bench) { try await save(bench, "root") } == ["*root"])
        let began = try await bench.service.databaseChanges(since: nil, in: .shared, for: bench.bob).syncToken
        // The zone goes from him as if he had been left out, and nothing of the share itself comes any more.
        #expect(try await told(bench) { _ = try await share(bench, Share.Permission.none, of: root) }.contains("-zone"))
        #expect(try await told(bench) { try await save(bench, "root") } == [])
        #expect(try await told(bench) { _ = try await share(bench, Share.Permission.none, of: root) } == [])
        await expect(code: .notFound) { try await bench.service.resolveShares([guid], for: bench.bob)[0].get() }
        await expect(code: .notFound) { try await bench.service.acceptShares([guid], for: bench.bob)[0].get() }
        let gone = try await bench.service.databaseChanges(since: began, in: .shared, for: bench.bob)
        #expect(gone.zones.map(\.isDeleted) == [true])
        // And comes back with the permission, to be read anew.
        #expect(try await told(bench) { _ = try await share(bench, .readOnly, of: root) }.contains("+zone"))
        #expect(try await told(bench) { try await save(bench, "root") } == ["*root"])
        let back = try await bench.service.databaseChanges(since: gone.syncToken, in: .shared, for: bench.bob)
        #expect(back.zones.map(\.isDeleted) == [false])
        // The end of the zone is no news for those who had no access.
        _ = try await share(bench, Share.Permission.none, of: root)
        #expect(try await told(bench) { _ = try await bench.zone(.delete, zone) } == [])
    }

    /// Of one request: what comes after the removal is not told, nor is the removal itself.
    @Test func whoIsRemovedInARequestHearsNothingOfItsRest() async throws {
        let bench = try await Bench()
        _ = try await bench.zone(.create, zone)
        let guid = try await share(bench, .readOnly, of: nil)
        _ = try await bench.service.acceptShares([guid], for: bench.bob)[0].get()
        var removal = RecordOperation.on("cloudkit.zoneshare", .forceUpdate)
        removal.recordType = .share
        removal.share = GivenShare(participants: [])
        let told = try await told(bench) {
            _ = try await bench.service.modifyRecords(
                [.on("before", .create), removal, .on("after", .create)], in: .private, zone: zone, for: bench.alice)
        }
        #expect(told == ["+before", "-zone"])
    }

    /// A record that leaves what is shared is gone for those who could read it; its new values are not theirs.
    @Test func whatMovesOutIsGoneAndWhatMovesInIsNew() async throws {
        let bench = try await Bench()
        _ = try await bench.zone(.create, zone)
        try await save(bench, "root")
        try await save(bench, "child", below: "root")
        let guid = try await share(bench, .readOnly, of: "root")
        _ = try await bench.service.acceptShares([guid], for: bench.bob)[0].get()
        #expect(try await told(bench) { try await save(bench, "child", below: .some(nil)) } == ["-child"])
        let last = try #require(try await bench.changes().last { $0.database == .shared })
        #expect(last.after == nil && last.before?.parent?.rawValue == "root")
        #expect(try await told(bench) { try await save(bench, "child") } == [])
        #expect(try await told(bench) { try await save(bench, "child", below: "root") } == ["+child"])
        #expect(try await bench.changes().last { $0.database == .shared }?.before == nil)
    }
}
