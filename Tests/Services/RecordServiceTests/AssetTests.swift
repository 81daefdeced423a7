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

    private func bench() async throws -> (Bench, AssetStorage) {
        let storage = try AssetStorage(folder: folder.path("assets"), keys: KeyRing.generate())
        return (try await Bench(assets: storage), storage)
    }

    private func upload(_ text: String, _ bench: Bench, in database: DatabaseScope = .public) async throws -> Asset {
        let path = bench.service.options.assets!.incoming + "/" + UUID().uuidString
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let field = AssetField(type: RecordType(trusted: "T"), name: FieldName(trusted: "f"))
        return try await bench.service.keepAsset(
            path, for: AssetUpload(user: bench.alice.user!, database: database, field: field))
    }

    private func references(_ asset: Asset, _ bench: Bench) async throws -> Int64? {
        try await bench.service.store.read { try $0.asset(asset.fileChecksum)?.references }
    }

    @Test func aFileStaysWhileARecordRefersToIt() async throws {
        let (bench, storage) = try await bench()
        let file = try await upload("one", bench)
        let other = try await upload("two", bench)
        #expect(try await upload("one", bench).fileChecksum == file.fileChecksum)
        for name in ["a", "b"] {
            #expect(try await bench.apply(.on(name, .forceUpdate, ["f": .asset(file)])).error == nil)
        }
        #expect(try await references(file, bench) == 2)
        // Saving it again, or another field, counts nothing.
        #expect(try await bench.apply(.on("a", .forceUpdate, ["f": .asset(file), "g": .int64(1)])).error == nil)
        #expect(try await references(file, bench) == 2)
        bench.move(by: .seconds(Int64(Limits.assetGraceSeconds) + 1))
        try await bench.service.sweepAssets()
        #expect(storage.holds(file.fileChecksum) && !storage.holds(other.fileChecksum))
        #expect(try await references(other, bench) == nil)
        // Replaced in one record, deleted with the other; then the time runs from that on.
        let third = try await upload("three", bench)
        #expect(try await bench.apply(.on("a", .forceUpdate, ["f": .asset(third)])).error == nil)
        let tag = try #require(try await bench.lookUp("b")).changeTag
        #expect(try await bench.apply(.on("b", .delete, tag: tag, type: nil)).error == nil)
        #expect(try await references(file, bench) == 0)
        try await bench.service.sweepAssets()
        #expect(storage.holds(file.fileChecksum))
        bench.move(by: .seconds(Int64(Limits.assetGraceSeconds) + 1))
        try await bench.service.sweepAssets()
        #expect(!storage.holds(file.fileChecksum) && storage.holds(third.fileChecksum))
    }

    @Test func theEndOfAZoneIsTheEndOfItsReferences() async throws {
        let (bench, _) = try await bench()
        let file = try await upload("one", bench, in: .private)
        let zone = GivenZone(name: ZoneName(trusted: "Pictures"), owner: nil)
        _ = try await bench.service.modifyZones(
            [ZoneOperation(kind: .create, zone: zone)], in: .private, for: bench.alice)
        let results = try await bench.service.modifyRecords(
            (0..<3).map { RecordOperation.on("r\($0)", .create, ["f": .asset(file)]) }, in: .private, zone: zone,
            for: bench.alice)
        #expect(results.allSatisfy { !$0.isFailure }, "\(results)")
        #expect(try await references(file, bench) == 3)
        _ = try await bench.service.modifyZones(
            [ZoneOperation(kind: .delete, zone: zone)], in: .private, for: bench.alice)
        try await bench.service.removeDroppedZones()
        #expect(try await references(file, bench) == 0)
    }

    @Test func aReceiptEndsAndSoDoesAFileThatWasSwept() async throws {
        let (bench, _) = try await bench()
        let file = try await upload("one", bench)
        bench.move(by: AssetTokens.receiptLifetime + .seconds(1))
        #expect(try await bench.apply(.on("a", .forceUpdate, ["f": .asset(file)])).code == .badRequest)
        // An operation that fails leaves no reference.
        #expect(try await references(file, bench) == 0)
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
