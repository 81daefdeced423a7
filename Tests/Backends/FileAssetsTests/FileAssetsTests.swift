import FileAssets
import Foundation
import RecordStore
import TestSupport
import Testing

/// The port of assets' bytes on a folder, and in memory as the suite's twin.
@Suite struct FileAssetsTests {
    private let folder = TemporaryFolder()

    private func open() throws -> FileAssets { try FileAssets(folder: folder.path("assets")) }

    @Test(arguments: AssetConformance.checks)
    func conforms(_ check: AssetConformance.Check) async throws { try await check.run(on: open()) }

    @Test(arguments: AssetConformance.checks)
    func memoryConforms(_ check: AssetConformance.Check) async throws { try await check.run(on: MemoryAssets()) }

    @Test func aFileIsTakenOverWithoutACopy() async throws {
        let assets = try open()
        let path = assets.incomingFolder + "/upload-x"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let incoming = assets.adopt(path)
        let contents = try await incoming.finish()
        #expect(assets.path(of: contents.checksum) == nil)
        try await incoming.keep()
        await incoming.discard()
        let kept = try #require(assets.path(of: contents.checksum))
        #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == Data([1, 2, 3]))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func anAdoptedFileThatIsNotKeptIsItsWritersToRemove() async throws {
        let assets = try open()
        let path = assets.incomingFolder + "/upload-x"
        try Data([1]).write(to: URL(fileURLWithPath: path))
        await assets.adopt(path).discard()
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func unfinishedUploadsAreRemovedAtTheStart() async throws {
        let assets = try open()
        try await assets.makeIncoming().append([1])
        let left = assets.incomingFolder
        #expect(try FileManager.default.contentsOfDirectory(atPath: left).count == 1)
        _ = try open()
        #expect(try FileManager.default.contentsOfDirectory(atPath: left).isEmpty)
    }

    @Test func failuresNameTheFile() async throws {
        let assets = try open()
        let failure = await #expect(throws: StoreError.self) { try await assets.adopt("/nowhere/x").finish() }
        guard case .failed(let text)? = failure else { return #expect(Bool(false), "\(String(describing: failure))") }
        #expect(text.contains("/nowhere/x"))
    }
}
