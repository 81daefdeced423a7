import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore
import SQLite
import SQLiteRecordStore
import TestSupport
import Testing

@testable import RecordService

/// What users have is counted as it comes and goes, and has quotas.
@Suite struct UsageTests {
    private static let counting = UsageCount { body in
        (try? RecordMessage(decoding: body).record()).map { ($0.created.user, $0.assetBytes) }
    }

    private static func usage(_ rig: RecordServiceRig, _ caller: Caller) async throws -> Usage {
        try await rig.service.store.read { try $0.usage(of: caller.user!) }
    }

    /// Saves, updates, moves, cascades, deletions, shares and ends of zones, at random: the counts are those of a
    /// recount.
    @Test(arguments: TestSeeds.several(8))
    func countsAgreeWithARecount(seed: UInt64) async throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let rig = try await RecordServiceRig()
        for zone: GivenZone in ["a", "b"] { _ = try await rig.zone(.create, zone) }
        for _ in 0..<150 {
            let name = "r\(Int.random(in: 0..<12, using: &random))"
            let text = FieldValue.string(String(repeating: "x", count: Int.random(in: 0..<400, using: &random)))
            let caller = Bool.random(using: &random) ? rig.alice : rig.bob
            let zone: GivenZone = ["a", "b", .default].randomElement(using: &random)!
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<5: _ = try await rig.apply(.on(name, .forceUpdate, ["t": text]), as: caller)
            case 5..<8:
                var operation = RecordOperation.on(name, .forceUpdate, ["t": text, "up": reference("r1", .deleteSelf)])
                operation.parent = .some(RecordName(trusted: "r0"))
                _ = try? await rig.apply(operation, in: .private, zone: zone)
            case 8: _ = try? await rig.apply(.on(name, .forceDelete), in: .private, zone: zone)
            case 9: _ = try await rig.apply(.on(name, .forceDelete), as: caller)
            case 10:
                var share = RecordOperation.on("s\(name)", .forceUpdate, type: nil)
                share.recordType = .share
                share.share = GivenShare(root: RecordName(trusted: name), publicPermission: .readWrite)
                let saved = try? await rig.apply(share, in: .private, zone: zone)
                if let guid = saved?.record?.shareDetails?.shortGUID {
                    _ = try await rig.service.acceptShares([guid], for: rig.bob)
                }
            default:
                _ = try? await rig.zone(.delete, zone)
                try await rig.service.removeDroppedZones()
                if zone != .default { _ = try await rig.zone(.create, zone) }
            }
        }
        let counted = try await rig.recount(Self.counting)
        let kinds: [UsageKind] = [
            .privateRecords, .privateBytes, .publicRecords, .publicBytes, .assetBytes, .shares,
        ]
        for caller in [rig.alice, rig.bob] {
            let usage = try await Self.usage(rig, caller)
            for kind in kinds { #expect(usage[kind] == counted[caller.user!, default: Usage()][kind], "\(kind)") }
        }
    }

    /// A file from before amounts were counted is counted when it is opened.
    @Test func anOldStoreIsCountedOnce() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create), in: .private)
        _ = try await rig.apply(.on("r", .create), as: rig.bob)
        let before = [try await Self.usage(rig, rig.alice), try await Self.usage(rig, rig.bob)]
        try await rig.forgetUsage()
        #expect(try await Self.usage(rig, rig.alice) == Usage())
        for _ in 0..<2 {
            let store = try rig.openAgain(Self.counting)
            for (caller, usage) in zip([rig.alice, rig.bob], before) {
                let found = try await store.read { try $0.usage(of: caller.user!) }
                for kind in [UsageKind.privateRecords, .privateBytes, .publicRecords, .publicBytes] {
                    #expect(found[kind] == usage[kind])
                }
            }
            await store.close()
        }
    }

    @Test func aQuotaIsNamedPerItemAndDeletingMakesRoom() async throws {
        var quotas = UsageQuotas()
        quotas[.privateRecords] = 2
        quotas[.publicBytes] = 3000
        quotas[.schemaParts] = 4
        let rig = try await RecordServiceRig(quotas: quotas)
        let results = try await rig.service.modifyRecords(
            (0..<3).map { .on("r\($0)", .create) }, in: .private, for: rig.alice
        ).map { Outcome($0) }
        #expect(results.map(\.code) == [nil, nil, .quotaExceeded])
        #expect(results[2].error?.reason.contains("records in the private database is 2") == true)
        #expect(try await rig.apply(.on("r0", .forceUpdate), in: .private).code == nil)
        #expect(try await rig.apply(.on("r0", .forceDelete), in: .private).code == nil)
        #expect(try await rig.apply(.on("r2", .create), in: .private).code == nil)
        let long = FieldValue.string(String(repeating: "x", count: 2500))
        #expect(try await rig.apply(.on("p", .create, ["t": long])).code == nil)
        #expect(try await rig.apply(.on("q", .create, ["t": long])).code == .quotaExceeded)
        #expect(try await rig.apply(.on("q", .create, ["t": long]), as: rig.bob).code == nil)
        #expect(try await rig.apply(.on("p", .forceUpdate, ["t": .string("")])).code == nil)
        #expect(try await rig.apply(.on("q2", .create)).code == nil)
        // T and its field t, then two more.
        #expect(try await rig.apply(.on("x", .create, ["a": .int64(1), "b": .int64(1)])).code == nil)
        #expect(try await rig.apply(.on("y", .create, ["c": .int64(1)])).code == .quotaExceeded)
        #expect(try await rig.apply(.create(.draft("s"))).code == .quotaExceeded, "a condition is learnt, too")
        #expect(try await rig.apply(.on("y", .create, ["c": .int64(1)]), as: rig.bob).code == nil)
    }

    @Test func aTypeHasSoManyFields() async throws {
        let rig = try await RecordServiceRig()
        func fields(_ range: Range<Int>) -> [String: FieldValue?] {
            Dictionary(uniqueKeysWithValues: range.map { ("f\($0)", FieldValue.int64(1)) })
        }
        #expect(try await rig.apply(.on("a", .create, fields(0..<Limits.fieldsPerTypeMax))).code == nil)
        #expect(try await rig.apply(.on("b", .create, ["more": .int64(1)])).code == .quotaExceeded)
        #expect(try await rig.apply(.on("b", .create, ["f1": .int64(1)])).code == nil)
    }

    /// Devices and couriers that are made and removed in a loop run into the rate; the same device again does not.
    @Test func registrationsInALoopAreThrottled() async throws {
        let rig = try await RecordServiceRig()
        for n in 0..<Limits.registrationsBurst {
            let id = DeviceID(trusted: "d\(n)")
            if n % 2 == 0 {
                _ = try await rig.service.registerDevice(id, name: "", platform: "", for: rig.alice)
                try await rig.service.unregisterDevice(id, for: rig.alice)
            } else {
                _ = try await rig.service.makeCourier(
                    CourierKind("web"), platform: "", .development, client: nil, for: rig.alice)
            }
        }
        let refused = await expect(code: .throttled) {
            try await rig.service.makeCourier(
                CourierKind("web"), platform: "", .development, client: nil, for: rig.alice)
        }
        #expect(refused?.retryAfterSeconds == Limits.registrationSecondsEach)
        await expect(code: .throttled) {
            try await rig.service.registerDevice(nil, name: "", platform: "", for: rig.alice)
        }
        _ = try await rig.service.registerDevice(nil, name: "", platform: "", for: rig.bob)
        rig.move(by: .seconds(Int64(Limits.registrationSecondsEach)))
        let id = DeviceID(trusted: "again")
        for _ in 0..<3 { _ = try await rig.service.registerDevice(id, name: "", platform: "", for: rig.alice) }
        await expect(code: .throttled) {
            try await rig.service.makeCourier(
                CourierKind("web"), platform: "", .development, client: nil, for: rig.alice)
        }
    }

    /// A URL takes one upload, also of concurrent ones; the uploaded bytes count for a while.
    @Test func anUploadAddressIsGoodOnce() async throws {
        var quotas = UsageQuotas()
        quotas[.uploadBytes] = 2 * Int64(Limits.uploadBytesMin)
        let rig = try await RecordServiceRig(assets: MemoryAssets(), quotas: quotas)
        let storage = try rig.service.assetStorage()
        func address() throws -> AssetUpload {
            let upload = AssetUpload(user: rig.alice.user!, database: .private, field: nil)
            let token = storage.tokens.upload(upload, in: rig.service.scope, at: rig.now)
            return try storage.tokens.upload(of: token, in: rig.service.scope, at: rig.now)
        }
        let first = try address()
        #expect(try first.nonce != address().nonce, "two addresses of one moment are two")
        let results = await withTaskGroup(of: CloudErrorCode?.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    do {
                        _ = try await rig.service.keepAsset(.bytes([]), for: first)
                        return nil
                    } catch { return (error as? CloudError)?.code }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0 == nil } == 1 && results.count { $0 == .badRequest } == 3, "\(results)")
        #expect(throws: CloudError.self, "before a body is taken") { try rig.service.checkUnused(first) }
        try rig.service.checkUnused(try address())
        _ = try await rig.service.keepAsset(.bytes([]), for: try address())
        await expect(code: .quotaExceeded) { try await rig.service.keepAsset(.bytes([]), for: try address()) }
        rig.move(by: .seconds(Int64(Limits.assetGraceSeconds) + 1))
        try await rig.service.sweepAssets()
        #expect(try await Self.usage(rig, rig.alice)[.uploadBytes] == 0)
        _ = try await rig.service.keepAsset(.bytes([]), for: try address())
    }

    /// Used addresses are remembered as long as they would be good, and no more than so many.
    @Test func usedAddressesAreForgotten() {
        var used = UsedNonces(
            lifetimeSeconds: Limits.assetUploadSeconds, generationMax: Limits.usedUploadsMax)
        let seconds = Int64(Limits.assetUploadSeconds)
        for minute in Int64(0)..<60 {
            used.note("\(minute)", at: Timestamp(milliseconds: minute * 60_000))
            #expect((0...minute).allSatisfy { (minute - $0) * 60 >= seconds || used.holds("\($0)") })
            #expect((0...minute).allSatisfy { (minute - $0) * 60 <= seconds * 2 || !used.holds("\($0)") })
        }
        for n in 0..<Limits.usedUploadsMax * 3 { used.note("n\(n)", at: Timestamp(milliseconds: 3_600_000)) }
        #expect(used.count <= Limits.usedUploadsMax * 2)
        #expect(used.holds("n\(Limits.usedUploadsMax * 3 - 1)") && used.holds("n\(Limits.usedUploadsMax * 2)"))
    }
}
