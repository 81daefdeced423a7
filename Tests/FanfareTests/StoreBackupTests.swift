import CloudModel
import Foundation
import RecordStore
import Settings
import TestSupport
import Testing

@testable import fanfare

@Suite("Backup") struct StoreBackupTests {
    private let folder = TemporaryFolder()

    private func configuration(_ data: String) -> Configuration {
        var configuration = Configuration()
        configuration.environments = ["development"]
        configuration.data = folder.path(data)
        return configuration
    }

    private func write(_ path: String, _ text: String) throws {
        let url = folder.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// A data folder with a store that its owner holds, assets and keys.
    private func makeData() throws -> (Configuration, UInt64, close: () async -> Void) {
        let configuration = configuration("data")
        let scope = configuration.scopes[0]
        let store = try Backends.store(configuration, scope, role: .owner)
        _ = try Backends.keys(configuration, mayMake: true)
        try write("data/assets/\(scope)/ab/one", "first")
        try write("data/assets/\(scope)/two", "second")
        return (configuration, store.incarnation, { await store.close() })
    }

    @Test("a copy that is made while the store is in use comes back with assets and keys")
    func wayThere() async throws {
        let (source, incarnation, close) = try makeData()
        let scopes = try StoreBackup(source, folder: folder.path("copy")).make()
        #expect(scopes == ["\(source.scopes[0])"])
        await close()
        let target = configuration("restored")
        #expect(try StoreBackup(target, folder: folder.path("copy")).restore() == scopes)
        let store = try Backends.store(target, target.scopes[0], role: .owner)
        #expect(store.incarnation == incarnation)
        await store.close()
        #expect(try Files.read("\(target.data)/assets/\(scopes[0])/ab/one") == Array("first".utf8))
        #expect(try Files.read("\(target.data)/assets/\(scopes[0])/two") == Array("second".utf8))
        #expect(try Files.read("\(target.data)/token.keys") == Files.read("\(source.data)/token.keys"))
    }

    @Test("a store that is there is not written over, nor a copy")
    func refusals() async throws {
        let (source, _, close) = try makeData()
        let copy = StoreBackup(source, folder: folder.path("copy"))
        _ = try copy.make()
        await close()
        #expect(throws: SettingsError.self) { try copy.make() }
        #expect(throws: SettingsError.self) { try copy.restore() }
    }

    @Test("a copy that was cut off, and a folder without a store, are refused")
    func incomplete() throws {
        #expect(throws: SettingsError.self) {
            try StoreBackup(configuration("nothing"), folder: folder.path("copy")).make()
        }
        try write("cut/stores/a.sqlite", "")
        #expect(throws: SettingsError.self) {
            try StoreBackup(configuration("restored"), folder: folder.path("cut")).restore()
        }
    }

    @Test("the folder of an embedded system is refused, as its log belongs to it")
    func embedded() async throws {
        let (source, _, close) = try makeData()
        try write("data/log.sqlite", "")
        #expect(throws: SettingsError.self) { try StoreBackup(source, folder: folder.path("copy")).make() }
        await close()
    }
}
