import CloudModel
import Cryptography
import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// How long files are kept.
@Suite struct AssetTests {
    let folder = TemporaryFolder()

    private func rig() async throws -> (RecordServiceRig, AssetStorage) {
        let storage = try AssetStorage(folder: folder.path("assets"), keys: KeyRing.generate())
        return (try await RecordServiceRig(assets: storage), storage)
    }

    private func upload(_ text: String, _ rig: RecordServiceRig, in database: DatabaseScope = .public) async throws
        -> Asset
    {
        let path = rig.service.options.assets!.incoming + "/" + UUID().uuidString
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let field = AssetField(type: RecordType(trusted: "T"), name: FieldName(trusted: "f"))
        return try await rig.service.keepAsset(
            path, for: AssetUpload(user: rig.alice.user!, database: database, field: field))
    }

    private func references(_ asset: Asset, _ rig: RecordServiceRig) async throws -> Int64? {
        try await rig.service.store.read { try $0.asset(asset.fileChecksum)?.references }
    }

    @Test func aFileStaysWhileARecordRefersToIt() async throws {
        let (rig, storage) = try await rig()
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
        #expect(storage.holds(file.fileChecksum) && !storage.holds(other.fileChecksum))
        #expect(try await references(other, rig) == nil)
        // Replaced in one record, deleted with the other; then the time runs from that on.
        let third = try await upload("three", rig)
        #expect(try await rig.apply(.on("a", .forceUpdate, ["f": .asset(third)])).error == nil)
        let tag = try #require(try await rig.lookUp("b")).changeTag
        #expect(try await rig.apply(.on("b", .delete, tag: tag, type: nil)).error == nil)
        #expect(try await references(file, rig) == 0)
        try await rig.service.sweepAssets()
        #expect(storage.holds(file.fileChecksum))
        rig.move(by: .seconds(Int64(Limits.assetGraceSeconds) + 1))
        try await rig.service.sweepAssets()
        #expect(!storage.holds(file.fileChecksum) && storage.holds(third.fileChecksum))
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

    @Test func whatAnUnfinishedUploadLeftIsRemovedAtTheStart() throws {
        let keys = KeyRing.generate()
        let storage = try AssetStorage(folder: folder.path("assets"), keys: keys)
        let left = storage.incoming + "/upload-x"
        try Data([1]).write(to: URL(fileURLWithPath: left))
        _ = try AssetStorage(folder: folder.path("assets"), keys: keys)
        #expect(!FileManager.default.fileExists(atPath: left))
    }
}
