import CloudModel
import TestSupport
import Testing

@testable import RecordService

/// A test of a subscription finds what its user could read when it changed, and can read now.
@Suite struct TestedRightsTests {
    private static let type = RecordType(trusted: "T")
    private let filter = GivenFilter.field("n", .equals, .int64(42))

    private func tested(
        _ rig: RecordServiceRig, as caller: Caller, in database: DatabaseScope = .public,
        _ draft: SubscriptionDraft? = nil
    ) async throws -> [String] {
        let outcome = try await rig.apply(
            .test(draft ?? .draft(nil, [filter])), in: database, as: caller)
        return try #require(outcome.test, "\(String(describing: outcome.error))").matched.map {
            $0.matched?.name.rawValue ?? "zone"
        }
    }

    @Test("a right to read that was taken back finds nothing from before", arguments: [0, 1, 2])
    func taken(step: Int) async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create, ["n": .int64(42)]))
        _ = try await rig.apply(.on("r", .forceUpdate, ["n": .int64(41)]))
        _ = try await rig.apply(.on("gone", .create, ["n": .int64(42)]))
        _ = try await rig.apply(.on("gone", .forceDelete))
        #expect(try await tested(rig, as: rig.bob) == ["r", "gone", "gone"])
        let roles: [TypePermissions.Role] = [.icloud, .creator]
        try await rig.service.setRight(.read, of: .world, on: Self.type, to: false)
        if step < roles.count { try await rig.service.setRight(.read, of: roles[step], on: Self.type, to: true) }
        let all = ["r", "gone", "gone"]
        #expect(try await tested(rig, as: rig.bob) == (step == 0 ? all : []))
        #expect(try await tested(rig, as: rig.alice) == (step == 2 ? [] : all))
        // Granting it again gives it back.
        try await rig.service.setRight(.read, of: .world, on: Self.type, to: true)
        #expect(try await tested(rig, as: rig.bob) == all)
    }

    @Test("a right to read that was granted later finds nothing from before")
    func granted() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("first", .create))
        try await rig.service.setRight(.read, of: .world, on: Self.type, to: false)
        try await rig.service.setRight(.read, of: .creator, on: Self.type, to: true)
        _ = try await rig.apply(.on("r", .create, ["n": .int64(42)]))
        try await rig.service.setRight(.read, of: .world, on: Self.type, to: true)
        #expect(try await tested(rig, as: rig.bob) == [])
        #expect(try await tested(rig, as: rig.alice) == ["r"])
    }

    /// A zone of Alice's with records, which Bob has accepted.
    private func shared(_ rig: RecordServiceRig, root: String?) async throws -> (RecordOperation, String) {
        _ = try await rig.zone(.create, "z")
        var child = RecordOperation.on("child", .create, ["n": .int64(42)])
        child.parent = .some(RecordName(trusted: "root"))
        for operation in [RecordOperation.on("root", .create, ["n": .int64(42)]), child] {
            #expect(try await rig.apply(operation, in: .private, zone: "z").code == nil)
        }
        var share = RecordOperation.on(root == nil ? "cloudkit.zoneshare" : "s", .forceUpdate)
        share.recordType = .share
        share.share = GivenShare(
            root: root.map { RecordName(trusted: $0) },
            participants: [.init(user: rig.bob.user!, permission: .readOnly)])
        let outcome = try await rig.apply(share, in: .private, zone: "z")
        let guid = try #require(outcome.record?.shareDetails?.shortGUID, "\(outcome)")
        _ = try await rig.service.acceptShares([guid], for: rig.bob)[0].get()
        for name in ["root", "child"] {
            _ = try await rig.apply(.on(name, .forceUpdate, ["n": .int64(43)]), in: .private, zone: "z")
        }
        return (share, guid)
    }

    private static func watch() -> SubscriptionDraft {
        .database(id: nil, recordType: type, notificationInfo: NotificationInfo(alertBody: "changed"))
    }

    @Test("a participant who was removed tests nothing from before", arguments: ["root", nil])
    func removed(root: String?) async throws {
        let rig = try await RecordServiceRig()
        var (share, _) = try await shared(rig, root: root)
        #expect(try await tested(rig, as: rig.bob, in: .shared, Self.watch()) == ["root", "child"])
        share.share?.participants = []
        #expect(try await rig.apply(share, in: .private, zone: "z").code == nil)
        #expect(try await tested(rig, as: rig.bob, in: .shared, Self.watch()) == [])
    }

    @Test("a participant tests nothing of a record that left the share")
    func moved() async throws {
        let rig = try await RecordServiceRig()
        _ = try await shared(rig, root: "root")
        var move = RecordOperation.on("child", .forceUpdate, ["n": .int64(7)])
        move.parent = .some(nil)
        #expect(try await rig.apply(move, in: .private, zone: "z").code == nil)
        #expect(try await tested(rig, as: rig.bob, in: .shared, Self.watch()) == ["root"])
    }
}
