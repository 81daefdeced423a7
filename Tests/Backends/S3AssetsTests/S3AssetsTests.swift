import Cryptography
import FileAssets
import Foundation
import RecordStore
import S3Assets
import TestSupport
import Testing
import TextForms

/// The port of assets' bytes on a bucket.
@Suite(.hangGuard) struct S3AssetsTests {
    private let folder = TemporaryFolder()
    private static let scope = "iCloud.test.development"

    private func open(_ twin: S3Twin, prefix: String = "tests", scope: String = Self.scope) throws -> S3Assets {
        try S3Assets(twin.bucket(prefix: prefix), scope: scope, spool: folder.path("spool"))
    }

    @Test(arguments: AssetConformance.checks)
    func conforms(_ check: AssetConformance.Check) async throws {
        let twin = try await S3Twin.start()
        try await check.run(on: open(twin))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("spool")).count <= 1)
        await twin.stop()
    }

    @Test(arguments: AssetConformance.checks)
    func conformsWithTheBucketInTheHost(_ check: AssetConformance.Check) async throws {
        let twin = try await S3Twin.start(isPathStyle: false)
        try await check.run(on: open(twin))
        #expect(twin.visits.allSatisfy { $0.host.hasPrefix("\(S3Twin.bucket).localhost:") })
        #expect(twin.visits.allSatisfy { !$0.path.contains(S3Twin.bucket) })
        await twin.stop()
    }

    @Test(arguments: AssetConformance.checks)
    func conformsWithASessionTokenOverTLS(_ check: AssetConformance.Check) async throws {
        let key = S3Key(accessKey: "ASIATEMP", secretKey: "a/b+c=", sessionToken: "FwoG/+token==")
        let twin = try await S3Twin.start(isSecure: true, keys: [key])
        let bucket = try twin.bucket(credentials: S3Credentials(key), caFile: TestCertificate.shared.file)
        try await check.run(on: S3Assets(bucket, scope: Self.scope, spool: folder.path("spool")))
        await twin.stop()
    }

    /// A file of ten times the memory that a part takes goes through.
    @Test func aLargeFileIsUploadedFromTheSpool() async throws {
        let twin = try await S3Twin.start()
        let assets = try open(twin)
        let path = assets.incomingFolder + "/upload-x"
        let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let incoming = assets.adopt(path)
        let contents = try await incoming.finish()
        #expect(twin.names.isEmpty)
        try await incoming.keep()
        await incoming.discard()
        #expect(!FileManager.default.fileExists(atPath: path), "the file is taken over")
        #expect(twin.bytes(try #require(twin.names.first)) == bytes)
        #expect(try await assets.read(contents.checksum, from: 4_999_990, count: 100) == Array(bytes.suffix(10)))
        await twin.stop()
    }

    @Test func anAdoptedFileThatIsNotKeptIsItsWritersToRemove() async throws {
        let twin = try await S3Twin.start()
        let assets = try open(twin)
        let path = assets.incomingFolder + "/upload-x"
        try Data([1]).write(to: URL(fileURLWithPath: path))
        await assets.adopt(path).discard()
        #expect(FileManager.default.fileExists(atPath: path))
        await twin.stop()
    }

    @Test func unfinishedUploadsAreRemovedAtTheStartOfTheOwnerAlone() async throws {
        let twin = try await S3Twin.start()
        try await open(twin).makeIncoming().append([1])
        let spool = folder.path("spool")
        _ = try S3Assets(twin.bucket(), scope: Self.scope, spool: spool, role: .visitor)
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool).count == 1)
        _ = try open(twin)
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool).isEmpty)
        await twin.stop()
    }

    @Test("a bucket and a folder have one layout, so that other tools can copy between them")
    func layout() async throws {
        let twin = try await S3Twin.start()
        let files = try FileAssets(folder: folder.path("files/\(Self.scope)"))
        for bytes in [[], [1], [UInt8](repeating: 7, count: 1000)] as [[UInt8]] {
            for store in [files, try open(twin)] as [any AssetStore] {
                let incoming = try await store.makeIncoming()
                try await incoming.append(bytes)
                _ = try await incoming.finish()
                try await incoming.keep()
            }
        }
        let root = URL(fileURLWithPath: folder.path("files"))
        let paths = FileManager.default.enumerator(atPath: root.path)!.compactMap { $0 as? String }.filter {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(root.path)/\($0)", isDirectory: &isFolder)
            return !isFolder.boolValue
        }
        #expect(paths.count == 3 && twin.names == paths.map { "tests/\($0)" }.sorted())
        // Objects of another tool have no header of ours.
        let assets = try open(twin)
        twin.put([9, 9], as: try #require(twin.names.first).replacingLast(of: SHA256.hash([9, 9])))
        let checksum = Base64.standard.encode(SHA256.hash([9, 9]))
        #expect(try await assets.read(checksum, from: 0, count: 9) == [9, 9])
        #expect(try await assets.size(of: checksum) == 2)
        await twin.stop()
    }

    @Test(
        "keys differ by asset, scope and prefix, and have no character that is escaped",
        arguments: TestSeeds.several(20))
    func keys(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let twin = try await S3Twin.start()
        let letters = Array("abcXYZ019-.")
        func name(_ range: ClosedRange<Int>) -> String {
            "n"
                + String(
                    (0..<Int.random(in: range, using: &random)).map { _ in letters.randomElement(using: &random)! })
        }
        var expected: Set<String> = []
        for _ in 0..<5 {
            let (prefix, scope) = (name(0...20), "\(name(0...30)).development")
            let assets = try S3Assets(twin.bucket(prefix: prefix), scope: scope, spool: folder.path("spool"))
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let incoming = try await assets.makeIncoming()
            try await incoming.append(bytes)
            _ = try await incoming.finish()
            try await incoming.keep()
            let hash = Hexadecimal.encode(SHA256.hash(bytes))
            expected.insert("\(prefix)/\(scope)/\(hash.prefix(2))/\(hash)")
        }
        #expect(Set(twin.names) == expected)
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/")
        #expect(twin.names.allSatisfy { $0.allSatisfy(plain.contains) })
        await twin.stop()
    }
}

extension String {
    /// The key beside this one of an object with a hash.
    fileprivate func replacingLast(of hash: [UInt8]) -> String {
        let name = Hexadecimal.encode(hash)
        return split(separator: "/").dropLast(2).joined(separator: "/") + "/\(name.prefix(2))/\(name)"
    }
}
