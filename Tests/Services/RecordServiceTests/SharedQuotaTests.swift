import CloudModel
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// What all users together teach development, and the shares of one.
@Suite struct SharedQuotaTests {
    @Test func developmentLearnsSoManyTypesAndFieldsOfAll() async throws {
        let rig = try await RecordServiceRig()
        try await rig.service.store.write { transaction in
            for n in 0..<Limits.schemaTypesMax - 1 { try transaction.define(RecordType(trusted: "J\(n)")) }
        }
        #expect(try await rig.apply(.on("a", .create, ["n": .int64(1)])).code == nil)
        let refused = try await rig.apply(.on("b", .create, type: "One", ["n": .int64(1)]), as: rig.bob)
        #expect(refused.code == .quotaExceeded && refused.error?.reason.contains("record types") == true, "\(refused)")
        #expect(try await rig.apply(.on("b", .create, ["m": .int64(1)]), as: rig.bob).code == nil)
        _ = try await rig.zone(.create, "z")
        #expect(try await rig.apply(.zoneShare(), in: .private, zone: "z").code == nil, "sharing needs no room")

        try await rig.service.store.write { transaction in
            for n in 0..<Limits.schemaFieldsMax - 4 {
                let type = RecordType(trusted: "J\(n / Limits.fieldsPerTypeMax)")
                try transaction.define(FieldName(trusted: "f\(n)"), as: .int64, in: type)
            }
        }
        let two: [String: FieldValue?] = ["p": .int64(1), "q": .int64(1)]
        let results = try await rig.service.modifyRecords(
            [.on("c", .create, two), .on("d", .create, ["r": .int64(1), "n": .int64(1)]), .on("e", .create, two)],
            in: .public, for: rig.bob
        ).map { Outcome($0) }
        #expect(results.map(\.code) == [nil, .quotaExceeded, nil], "\(results)")
        #expect(results[1].error?.reason.contains("fields of all users") == true)
    }

    @Test func developmentLearnsSoManyConditionsOfAll() async throws {
        let rig = try await RecordServiceRig()
        try await rig.service.store.write { transaction in
            for n in 0..<Limits.schemaConditionsMax - 1 {
                try transaction.addCondition(ConditionShape(recordType: RecordType(trusted: "T"), text: "c\(n)"))
            }
        }
        func draft(_ id: String, _ field: String) -> SubscriptionOperation {
            .create(.draft(id, [.field(field, .equals, .int64(1))]))
        }
        let results = try await rig.service.modifySubscriptions(
            [draft("a", "x"), draft("b", "y")], in: .public, for: rig.alice
        ).map { SubscriptionOutcome($0) }
        #expect(results.map(\.code) == [nil, .quotaExceeded])
        #expect(results[1].error?.reason.contains("conditions") == true)
        #expect(try await rig.apply(draft("b", "x"), as: rig.bob).code == nil, "a condition that is known")
    }

    @Test func aUserHasSoManySharesInAllZones() async throws {
        var quotas = UsageQuotas()
        quotas[.shares] = 3
        let rig = try await RecordServiceRig(quotas: quotas)
        for zone: GivenZone in ["a", "b"] {
            _ = try await rig.zone(.create, zone)
            for name in ["r", "s"] { _ = try await rig.apply(.on(name, .create), in: .private, zone: zone) }
        }
        func share(_ root: String, _ zone: GivenZone) async throws -> Outcome {
            var share = RecordOperation.on("of-\(root)", .forceUpdate, type: nil)
            share.recordType = .share
            share.share = GivenShare(root: RecordName(trusted: root))
            return try await rig.apply(share, in: .private, zone: zone)
        }
        for (root, zone) in [("r", "a"), ("s", "a"), ("r", "b")] as [(String, GivenZone)] {
            #expect(try await share(root, zone).code == nil)
        }
        let refused = try await share("s", "b")
        #expect(refused.code == .quotaExceeded && refused.error?.reason.contains("shares in all zones is 3") == true)
        #expect(try await share("r", "b").code == nil, "saving one again makes none")
        // A shared record takes its share with it.
        #expect(try await rig.apply(.on("r", .forceDelete), in: .private, zone: "b").code == nil)
        #expect(try await share("s", "b").code == nil)
        _ = try await rig.zone(.delete, "a")
        let usage = try await rig.service.store.read { try $0.usage(of: rig.alice.user!) }
        #expect(usage[.shares] == 1)
    }
}

extension RecordOperation {
    fileprivate static func zoneShare() -> RecordOperation {
        var share = RecordOperation.on("cloudkit.zoneshare", .create, type: nil)
        share.recordType = .share
        share.share = GivenShare()
        return share
    }
}
