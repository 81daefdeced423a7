import CloudModel
import Cryptography
import FileAssets
import FileSystem
import Foundation
import RecordStore
import S3Assets
import Settings
import TestSupport
import Testing
import TextForms

@testable import fanfare

/// Copies of files between folders and buckets.
@Suite(.hangGuard) struct AssetCopyTests {
    private let folder = TemporaryFolder()

    private func checksum(_ bytes: [UInt8]) -> String { Base64.standard.encode(SHA256.hash(bytes)) }

    private func keep(_ bytes: [UInt8], in store: any AssetStore) async throws {
        let incoming = try await store.makeIncoming()
        try await incoming.append(bytes)
        _ = try await incoming.finish()
        try await incoming.keep()
    }

    /// A store that names files, of which every other one has a record.
    private func makeStore(_ files: [[UInt8]]) async throws -> any RecordStore {
        let store = try TestStores.records(in: folder)
        let names = files.map { (checksum($0), Int64($0.count)) }
        try await store.write { transaction in
            for (index, (checksum, size)) in names.enumerated() {
                try transaction.noteUpload(checksum, size: size, at: Timestamp(milliseconds: 1))
                if index.isMultiple(of: 2) {
                    try transaction.countReferences(to: checksum, by: 1, at: Timestamp(milliseconds: 1))
                }
            }
        }
        return store
    }

    @Test("files go into a bucket and back, and a copy that was ended goes on")
    func wayThere() async throws {
        let files = (0..<260).map { [UInt8](repeating: UInt8($0 % 256), count: $0 == 7 ? 2_500_000 : $0) }
        let store = try await makeStore(files)
        let twin = try await S3Twin.start()
        let source = try FileAssets(folder: folder.path("from"))
        let bucket = try S3Assets(twin.bucket(), scope: "s", spool: folder.path("spool"))
        for bytes in files { try await keep(bytes, in: source) }
        for bytes in files.prefix(60) { try await keep(bytes, in: bucket) }
        let copy = AssetCopy(store: store, source: source, target: bucket)
        var pages = 0
        let summary = try await copy.run { _ in pages += 1 }
        #expect(summary.copied == 200 && summary.present == 60 && summary.defects.isEmpty && pages == 2)
        #expect(twin.names.count == 260)
        let target = try FileAssets(folder: folder.path("to"))
        let back = try await AssetCopy(store: store, source: bucket, target: target).run { _ in }
        #expect(back.copied == 260 && back.copiedBytes == Int64(files.reduce(0) { $0 + $1.count }))
        for bytes in files {
            #expect(try await target.read(checksum(bytes), from: 0, count: bytes.count + 1) == bytes)
        }
        let again = try await copy.run { _ in }
        #expect(again.copied == 0 && again.present == 260)
        await store.close()
        await twin.stop()
    }

    @Test("missing and damaged files of records are named, and are not copied")
    func defects() async throws {
        let files: [[UInt8]] = [[1], [2], [3, 3], [4]]
        let store = try await makeStore(files)
        let source = try FileAssets(folder: folder.path("from"))
        let target = try FileAssets(folder: folder.path("to"))
        // The first is missing with a record, the second without, the third is damaged.
        try await keep(files[2], in: source)
        try await keep(files[3], in: source)
        let path = try #require(source.path(of: checksum(files[2])))
        try Data([3, 4]).write(to: URL(fileURLWithPath: path))
        let summary = try await AssetCopy(store: store, source: source, target: target).run { _ in }
        #expect(summary.copied == 1 && summary.unreferenced == 1)
        #expect(summary.defects.count == 2)
        for bytes in [files[0], files[2]] {
            #expect(summary.defects.contains { $0.hasPrefix(checksum(bytes)) })
            #expect(try await target.size(of: checksum(bytes)) == nil)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.incomingFolder).isEmpty)
        await store.close()
    }

    @Test("an object that says it is another is replaced by the copy")
    func replacement() async throws {
        let store = try await makeStore([[1, 2]])
        let twin = try await S3Twin.start()
        let source = try FileAssets(folder: folder.path("from"))
        try await keep([1, 2], in: source)
        let bucket = try S3Assets(twin.bucket(), scope: "s", spool: folder.path("spool"))
        try await keep([1, 2], in: bucket)
        twin.put([9, 9, 9], as: try #require(twin.names.first))
        let summary = try await AssetCopy(store: store, source: source, target: bucket).run { _ in }
        #expect(summary.copied == 1)
        #expect(twin.bytes(try #require(twin.names.first)) == [1, 2])
        await store.close()
        await twin.stop()
    }

    @Test(
        "settings of a bucket that cannot be used are refused with their name",
        arguments: [
            (["--assets", "s3://Bad_Bucket"], "assets"), (["--assets", "s3://photos/../x"], "assets"),
            (["--assets-endpoint", "minio:9000"], "assets-endpoint"),
            (["--assets-endpoint", "http://minio:9000/path"], "assets-endpoint"),
            (["--assets-region", "eu central"], "assets-region"),
        ])
    func settings(arguments: [String], name: String) {
        let failure = #expect(throws: SettingsError.self) {
            try Configuration.read(arguments, for: .recordService, environment: [:])
        }
        #expect(failure?.description.contains("'\(name)'") == true, "\(String(describing: failure))")
    }

    @Test("a place is a folder, or a bucket with a key")
    func places() throws {
        var configuration = Configuration()
        configuration.data = folder.path("data")
        #expect(try AssetPlace(configuration).folder == folder.path("data/assets"))
        configuration.assets.place = "/elsewhere"
        #expect(try AssetPlace(configuration).folder == "/elsewhere")
        configuration.assets.place = "s3://photos/x"
        configuration.assets.credentialsFile = folder.path("none")
        #expect(throws: SettingsError.self) { try AssetPlace(configuration) }
        let text = "[default]\naws_access_key_id = A\naws_secret_access_key = s\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("key")))
        configuration.assets.credentialsFile = folder.path("key")
        #expect(try AssetPlace(configuration).folder == nil)
        configuration.assets.place = "s3://my.photos/x"
        #expect(throws: SettingsError.self, "no certificate is good for a dot") { try AssetPlace(configuration) }
        configuration.assets.isPathStyle = true
        #expect(try AssetPlace(configuration).folder == nil)
    }

    @Test("a backup leaves a bucket alone, and one with files is not restored into a bucket")
    func backups() async throws {
        var configuration = Configuration()
        configuration.environments = ["development"]
        configuration.data = folder.path("data")
        let scope = configuration.scopes[0]
        let store = try Backends.store(configuration, scope, role: .owner)
        let assets = try FileAssets(folder: folder.path("data/assets/\(scope)"))
        try await keep([1], in: assets)
        _ = try StoreBackup(configuration, folder: folder.path("whole")).make()
        configuration.assets.place = "s3://photos"
        _ = try StoreBackup(configuration, folder: folder.path("records")).make()
        #expect(!Files.exists(folder.path("records/assets")))
        await store.close()
        configuration.data = folder.path("restored")
        #expect(throws: SettingsError.self) {
            try StoreBackup(configuration, folder: folder.path("whole")).restore()
        }
        #expect(!Files.exists(folder.path("restored/\(scope).sqlite")))
        #expect(try StoreBackup(configuration, folder: folder.path("records")).restore() == ["\(scope)"])
    }
}
