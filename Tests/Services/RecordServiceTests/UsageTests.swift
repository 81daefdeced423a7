import CloudModel
import Cryptography
import EventLog
import Messages
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

    private static func usage(_ bench: Bench, _ caller: Caller) async throws -> Usage {
        try await bench.service.store.read { try $0.usage(of: caller.user!) }
    }

    /// Saves, updates, moves, cascades, deletions, shares and ends of zones, at random: the counts are those of a recount.
    @Test(arguments: (0..<8).map { _ in UInt64.random(in: 0 ... .max) })
    func countsAgreeWithARecount(seed: UInt64) async throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let bench = try await Bench()
        for zone: GivenZone in ["a", "b"] { _ = try await bench.zone(.create, zone) }
        for _ in 0..<150 {
            let name = "r\(Int.random(in: 0..<12, using: &random))"
            let text = FieldValue.string(String(repeating: "x", count: Int.random(in: 0..<400, using: &random)))
            let caller = Bool.random(using: &random) ? bench.alice : bench.bob
            let zone: GivenZone = ["a", "b", .default].randomElement(using: &random)!
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<5: _ = try await bench.apply(.on(name, .forceUpdate, ["t": text]), as: caller)
            case 5..<8:
                var operation = RecordOperation.on(name, .forceUpdate, ["t": text, "up": reference("r1", .deleteSelf)])
                operation.parent = .some(RecordName(trusted: "r0"))
                _ = try? await bench.apply(operation, in: .private, zone: zone)
            case 8: _ = try? await bench.apply(.on(name, .forceDelete), in: .private, zone: zone)
            case 9: _ = try await bench.apply(.on(name, .forceDelete), as: caller)
            case 10:
                var share = RecordOperation.on("s\(name)", .forceUpdate, type: nil)
                share.recordType = .share
                share.share = GivenShare(root: RecordName(trusted: name), publicPermission: .readWrite)
                let saved = try? await bench.apply(share, in: .private, zone: zone)
                if let guid = saved?.record?.shareDetails?.shortGUID {
                    _ = try await bench.service.acceptShares([guid], for: bench.bob)
                }
            default:
                _ = try? await bench.zone(.delete, zone)
                try await bench.service.removeDroppedZones()
                if zone != .default { _ = try await bench.zone(.create, zone) }
            }
        }
        let counted = try await bench.recount(Self.counting)
        let kinds: [UsageKind] = [
            .privateRecords, .privateBytes, .publicRecords, .publicBytes, .assetBytes, .shares,
        ]
        for caller in [bench.alice, bench.bob] {
            let usage = try await Self.usage(bench, caller)
            for kind in kinds { #expect(usage[kind] == counted[caller.user!, default: Usage()][kind], "\(kind)") }
        }
    }

    /// A file from before amounts were counted is counted when it is opened.
    @Test func anOldStoreIsCountedOnce() async throws {
        let bench = try await Bench()
        _ = try await bench.apply(.on("r", .create), in: .private)
        _ = try await bench.apply(.on("r", .create), as: bench.bob)
        let before = [try await Self.usage(bench, bench.alice), try await Self.usage(bench, bench.bob)]
        try await bench.forgetUsage()
        #expect(try await Self.usage(bench, bench.alice) == Usage())
        for _ in 0..<2 {
            let store = try bench.openAgain(Self.counting)
            for (caller, usage) in zip([bench.alice, bench.bob], before) {
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
        let bench = try await Bench(quotas: quotas)
        let results = try await bench.service.modifyRecords(
            (0..<3).map { .on("r\($0)", .create) }, in: .private, for: bench.alice
        ).map { Outcome($0) }
        #expect(results.map(\.code) == [nil, nil, .quotaExceeded])
        #expect(results[2].error?.reason.contains("records in the private database is 2") == true)
        #expect(try await bench.apply(.on("r0", .forceUpdate), in: .private).code == nil)
        #expect(try await bench.apply(.on("r0", .forceDelete), in: .private).code == nil)
        #expect(try await bench.apply(.on("r2", .create), in: .private).code == nil)
        let long = FieldValue.string(String(repeating: "x", count: 2500))
        #expect(try await bench.apply(.on("p", .create, ["t": long])).code == nil)
        #expect(try await bench.apply(.on("q", .create, ["t": long])).code == .quotaExceeded)
        #expect(try await bench.apply(.on("q", .create, ["t": long]), as: bench.bob).code == nil)
        #expect(try await bench.apply(.on("p", .forceUpdate, ["t": .string("")])).code == nil)
        #expect(try await bench.apply(.on("q2", .create)).code == nil)
        // T and its field t, then two more.
        #expect(try await bench.apply(.on("x", .create, ["a": .int64(1), "b": .int64(1)])).code == nil)
        #expect(try await bench.apply(.on("y", .create, ["c": .int64(1)])).code == .quotaExceeded)
        #expect(try await bench.apply(.create(.draft("s"))).code == .quotaExceeded, "a condition is learnt, too")
        #expect(try await bench.apply(.on("y", .create, ["c": .int64(1)]), as: bench.bob).code == nil)
    }

    @Test func aTypeHasSoManyFields() async throws {
        let bench = try await Bench()
        func fields(_ range: Range<Int>) -> [String: FieldValue?] {
            Dictionary(uniqueKeysWithValues: range.map { ("f\($0)", FieldValue.int64(1)) })
        }
        #expect(try await bench.apply(.on("a", .create, fields(0..<Limits.fieldsPerTypeMax))).code == nil)
        #expect(try await bench.apply(.on("b", .create, ["more": .int64(1)])).code == .quotaExceeded)
        #expect(try await bench.apply(.on("b", .create, ["f1": .int64(1)])).code == nil)
    }

    /// Devices and couriers that are made and removed in a loop run into the rate; the same device again does not.
    @Test func registrationsInALoopAreThrottled() async throws {
        let bench = try await Bench()
        for n in 0..<Limits.registrationsBurst {
            let id = DeviceID(trusted: "d\(n)")
            if n % 2 == 0 {
                _ = try await bench.service.registerDevice(id, name: "", platform: "", for: bench.alice)
                try await bench.service.unregisterDevice(id, for: bench.alice)
            } else {
                _ = try await bench.service.makeCourier(
                    CourierKind("web"), platform: "", .development, client: nil, for: bench.alice)
            }
        }
        let refused = await expect(code: .throttled) {
            try await bench.service.makeCourier(
                CourierKind("web"), platform: "", .development, client: nil, for: bench.alice)
        }
        #expect(refused?.retryAfterSeconds == Limits.registrationSecondsEach)
        await expect(code: .throttled) {
            try await bench.service.registerDevice(nil, name: "", platform: "", for: bench.alice)
        }
        _ = try await bench.service.registerDevice(nil, name: "", platform: "", for: bench.bob)
        bench.move(by: .seconds(Int64(Limits.registrationSecondsEach)))
        let id = DeviceID(trusted: "again")
        for _ in 0..<3 { _ = try await bench.service.registerDevice(id, name: "", platform: "", for: bench.alice) }
        await expect(code: .throttled) {
            try await bench.service.makeCourier(
                CourierKind("web"), platform: "", .development, client: nil, for: bench.alice)
        }
    }

    /// An address takes one upload, whoever comes at the same moment; what was uploaded counts for a while.
    @Test func anUploadAddressIsGoodOnce() async throws {
        let folder = TemporaryFolder()
        let keys = KeyRing.generate()
        let storage = try AssetStorage(folder: folder.path("assets"), keys: keys)
        var quotas = UsageQuotas()
        quotas[.uploadBytes] = 2 * Int64(Limits.uploadBytesMin)
        let bench = try await Bench(assets: storage, quotas: quotas)
        func address() throws -> AssetUpload {
            let upload = AssetUpload(user: bench.alice.user!, database: .private, field: nil)
            let token = storage.tokens.upload(upload, in: bench.service.scope, at: bench.now)
            return try storage.tokens.upload(of: token, in: bench.service.scope, at: bench.now)
        }
        let first = try address()
        #expect(try first.nonce != address().nonce, "two addresses of one moment are two")
        let results = await withTaskGroup(of: CloudErrorCode?.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    do {
                        _ = try await bench.service.keepAsset(nil, for: first)
                        return nil
                    } catch { return (error as? CloudError)?.code }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0 == nil } == 1 && results.count { $0 == .badRequest } == 3, "\(results)")
        #expect(throws: CloudError.self, "before a body is taken") { try bench.service.checkUnused(first) }
        try bench.service.checkUnused(try address())
        _ = try await bench.service.keepAsset(nil, for: try address())
        await expect(code: .quotaExceeded) { try await bench.service.keepAsset(nil, for: try address()) }
        bench.move(by: .seconds(Int64(Limits.assetGraceSeconds) + 1))
        try await bench.service.sweepAssets()
        #expect(try await Self.usage(bench, bench.alice)[.uploadBytes] == 0)
        _ = try await bench.service.keepAsset(nil, for: try address())
    }

    /// Used addresses are remembered as long as they would be good, and no more than so many.
    @Test func usedAddressesAreForgotten() {
        var used = UsedUploads()
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
