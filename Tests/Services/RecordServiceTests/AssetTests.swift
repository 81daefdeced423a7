import CloudModel
import FileAssets
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordService

/// How long files are kept.
@Suite struct AssetTests {
    private let folder = TemporaryFolder()

    private func rig() async throws -> (RecordServiceRig, MemoryAssets) {
        let assets = MemoryAssets()
        return (try await RecordServiceRig(assets: assets), assets)
    }

    private func upload(
        _ text: String, _ rig: RecordServiceRig, in database: DatabaseScope = .public
    ) async throws -> Asset {
        let field = AssetField(type: RecordType(trusted: "T"), name: FieldName(trusted: "f"))
        return try await rig.service.keepAsset(
            .bytes(Array(text.utf8)), for: AssetUpload(user: rig.alice.user!, database: database, field: field))
    }

    private func references(_ asset: Asset, _ rig: RecordServiceRig) async throws -> Int64? {
        try await rig.service.store.read { try $0.asset(asset.fileChecksum)?.references }
    }

    @Test func aFileStaysWhileARecordRefersToIt() async throws {
        let (rig, assets) = try await rig()
        let file = try await upload("one", rig)
        let other = try await upload("two", rig)
        #expect(try await upload("one", rig).fileChecksum == file.fileChecksum)
        for name in ["a", "b"] {
            #expect(try await rig.apply(.on(name, .forceUpdate, ["f": .asset(file)])).error == nil)
        }
        #expect(try await references(file, rig) == 2)
        // Saving it again, or another field, counts nothing.
        #expect(try await rig.apply(.on("a", .forceUpdate, ["f": .asset(file), "g": .int64(1)])).error == nil)
        #expect(try await references(file, rig) == 2)
        rig.move(by: .seconds(Int64(Limits.assetGraceSeconds) + 1))
        try await rig.service.sweepAssets()
        #expect(try await assets.size(of: file.fileChecksum) == 3)
        #expect(try await assets.size(of: other.fileChecksum) == nil)
        #expect(try await references(other, rig) == nil)
        // Replaced in one record, deleted with the other; then the time runs from that on.
        let third = try await upload("three", rig)
        #expect(try await rig.apply(.on("a", .forceUpdate, ["f": .asset(third)])).error == nil)
        let tag = try #require(try await rig.lookUp("b")).changeTag
        #expect(try await rig.apply(.on("b", .delete, tag: tag, type: nil)).error == nil)
        #expect(try await references(file, rig) == 0)
        try await rig.service.sweepAssets()
        #expect(try await assets.size(of: file.fileChecksum) == 3)
        rig.move(by: .seconds(Int64(Limits.assetGraceSeconds) + 1))
        try await rig.service.sweepAssets()
        #expect(try await assets.size(of: file.fileChecksum) == nil)
        #expect(try await assets.size(of: third.fileChecksum) == 5)
    }

    @Test(
        "a removed user's files go at once, those elsewhere with the next sweep, but those of others stay",
        arguments: [true, false])
    func removal(areLocal: Bool) async throws {
        let assets: any AssetStore = areLocal ? try FileAssets(folder: folder.path("assets")) : MemoryAssets()
        let rig = try await RecordServiceRig(assets: assets)
        let bob = rig.bob.user!
        func upload(_ text: String, _ user: UserRecordName) async throws -> Asset {
            let field = AssetField(type: RecordType(trusted: "T"), name: FieldName(trusted: "f"))
            return try await rig.service.keepAsset(
                .bytes(Array(text.utf8)), for: AssetUpload(user: user, database: .private, field: field))
        }
        let (own, inZone, loose) = (
            try await upload("own", bob), try await upload("zone", bob), try await upload("loose", bob)
        )
        let (shared, uploaded) = (try await upload("shared", bob), try await upload("uploaded", bob))
        let old = try await upload("old", bob)
        #expect(try await rig.apply(.on("old", .create, ["f": .asset(old)]), in: .private, as: rig.bob).error == nil)
        // Uploads are forgotten after the grace, and records keep their files.
        rig.move(by: .seconds(Int64(Limits.assetGraceSeconds) + 1))
        for (text, file) in [
            ("own", own), ("zone", inZone), ("loose", loose), ("shared", shared), ("uploaded", uploaded),
        ] {
            #expect(try await upload(text, bob).fileChecksum == file.fileChecksum)
        }
        try await rig.service.sweepAssets()
        _ = try await upload("uploaded", rig.alice.user!)
        #expect(try await upload("shared", rig.alice.user!).fileChecksum == shared.fileChecksum)
        let alices = try await upload("shared", rig.alice.user!)
        #expect(try await rig.apply(.on("a", .create, ["f": .asset(alices)]), in: .private).error == nil)
        for (name, file) in [("own", own), ("shared", shared)] {
            let again = try await upload(name, bob)
            #expect(again.fileChecksum == file.fileChecksum)
            #expect(
                try await rig.apply(.on(name, .create, ["f": .asset(again)]), in: .private, as: rig.bob).error == nil)
        }
        _ = try await rig.zone(.create, "z", as: rig.bob)
        let again = try await upload("zone", bob)
        #expect(
            try await rig.apply(.on("r", .create, ["f": .asset(again)]), in: .private, zone: "z", as: rig.bob).error
                == nil)
        #expect(try await rig.removeUser(bob).files == 4)
        if !areLocal {
            // Uploads and removals of these bytes meet in the process that sweeps.
            for file in [own, inZone, loose, old] { #expect(try await assets.size(of: file.fileChecksum) != nil) }
            try await rig.service.sweepAssets()
        }
        for file in [own, inZone, loose, old] { #expect(try await assets.size(of: file.fileChecksum) == nil) }
        for file in [shared, uploaded] { #expect(try await assets.size(of: file.fileChecksum) != nil) }
        #expect(try await rig.service.store.read { try $0.uploads(by: bob) } == [])
    }

    @Test func theEndOfAZoneIsTheEndOfItsReferences() async throws {
        let (rig, _) = try await rig()
        let file = try await upload("one", rig, in: .private)
        let zone = GivenZone(name: ZoneName(trusted: "Pictures"), owner: nil)
        _ = try await rig.service.modifyZones(
            [ZoneOperation(kind: .create, zone: zone)], in: .private, for: rig.alice)
        let results = try await rig.service.modifyRecords(
            (0..<3).map { RecordOperation.on("r\($0)", .create, ["f": .asset(file)]) }, in: .private, zone: zone,
            for: rig.alice)
        #expect(results.allSatisfy { !$0.isFailure }, "\(results)")
        #expect(try await references(file, rig) == 3)
        _ = try await rig.service.modifyZones(
            [ZoneOperation(kind: .delete, zone: zone)], in: .private, for: rig.alice)
        try await rig.service.removeDroppedZones()
        #expect(try await references(file, rig) == 0)
    }

    @Test func aReceiptEndsAndSoDoesAFileThatWasSwept() async throws {
        let (rig, _) = try await rig()
        let file = try await upload("one", rig)
        rig.move(by: AssetTokens.receiptLifetime + .seconds(1))
        #expect(try await rig.apply(.on("a", .forceUpdate, ["f": .asset(file)])).code == .badRequest)
        // An operation that fails leaves no reference.
        #expect(try await references(file, rig) == 0)
        #expect(AssetTokens.receiptLifetime < .seconds(Int64(Limits.assetGraceSeconds)))
    }

    private final class Order: Sendable {
        let steps = Mutex<[String]>([])
    }

    /// An upload of bytes in removal waits; a removal skips bytes in upload.
    @Test func aRemovalAndAnUploadOfTheSameBytesDoNotMeet() async throws {
        let gate = AssetGate()
        let began = AsyncStream.makeStream(of: Void.self)
        let end = AsyncStream.makeStream(of: Void.self)
        let order = Order()
        let removal = Task {
            try await gate.removing(["a", "b"]) { free in
                began.continuation.finish()
                for await _ in end.stream {}
                order.steps.withLock { $0.append("removed") }
                return free
            }
        }
        for await _ in began.stream {}
        let upload = Task { try await gate.uploading("a") { order.steps.withLock { $0.append("uploaded") } } }
        try await gate.uploading("c") {
            let free = try await gate.removing(["a", "c", "d"]) { $0 }
            #expect(free == ["d"])
            order.steps.withLock { $0.append("beside") }
        }
        end.continuation.finish()
        #expect(try await removal.value == ["a", "b"])
        try await upload.value
        #expect(order.steps.withLock { $0 } == ["beside", "removed", "uploaded"])
        let free = try await gate.removing(["a"]) { $0 }
        #expect(free == ["a"])
    }
}
