import CloudModel
import Cryptography
import FileSystem
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
        #expect(!Files.exists("\(target.data)/token.keys"), "the ring is no part of the copy")
    }

    /// Every file below a folder that has one of the ring's keys in it.
    private func files(withKeysOf ring: String, below path: String) throws -> [String] {
        let keys = String(decoding: try Files.read(ring), as: UTF8.self).split(whereSeparator: \.isWhitespace)
            .filter { $0.utf8.count == 43 }.map(String.init)
        #expect(keys.count == 2)
        return try Files.files(below: path).filter { file in
            let text = String(decoding: try Files.read("\(path)/\(file)"), as: UTF8.self)
            return keys.contains { text.contains($0) }
        }
    }

    @Test("the ring goes into a folder of its own if that is wanted, and never beside what it seals")
    func keys() async throws {
        var (source, _, close) = try makeData()
        _ = try StoreBackup(source, folder: folder.path("without")).make()
        #expect(try files(withKeysOf: "\(source.data)/token.keys", below: folder.path("without")) == [])
        source.backup.keys = folder.path("ring")
        _ = try StoreBackup(source, folder: folder.path("with")).make()
        await close()
        #expect(try files(withKeysOf: "\(source.data)/token.keys", below: folder.path("with")) == [])
        #expect(try Files.read(folder.path("ring/token.keys")) == Files.read("\(source.data)/token.keys"))
        // Another copy's ring is not written over.
        #expect(throws: SettingsError.self) { try StoreBackup(source, folder: folder.path("again")).make() }

        var target = configuration("restored")
        target.backup.keys = folder.path("ring")
        target.tokenKeyFile = folder.path("elsewhere.keys")
        _ = try StoreBackup(target, folder: folder.path("with")).restore()
        #expect(try Files.read(folder.path("elsewhere.keys")) == Files.read("\(source.data)/token.keys"))

        var other = configuration("other")
        other.backup.keys = folder.path("ring")
        _ = try Backends.keys(other, mayMake: true)
        #expect(throws: SettingsError.self) { try StoreBackup(other, folder: folder.path("with")).restore() }
        #expect(!Files.exists("\(other.data)/\(other.scopes[0]).sqlite"), "nothing is restored under another ring")
        other.backup.keys = folder.path("none")
        #expect(throws: KeyRingError.self) { try StoreBackup(other, folder: folder.path("with")).restore() }
    }

    @Test(
        "a folder for the ring that is the copy's, below it or above it, is refused, whatever links lead there",
        arguments: [
            "copy", "copy/", "copy/keys", "copy/stores", "./copy/../copy/keys", "other/../copy", "link", "link/keys",
            "dangling", "copy-link-inside", ".",
        ])
    func keysWithin(path: String) async throws {
        var (source, _, close) = try makeData()
        let manager = FileManager.default
        for made in ["copy", "other"] {
            try manager.createDirectory(atPath: folder.path(made), withIntermediateDirectories: true)
        }
        try manager.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("copy"))
        // Leads into the copy once that has its folders.
        try manager.createSymbolicLink(atPath: folder.path("dangling"), withDestinationPath: folder.path("copy/stores"))
        // The copy's own folder is a link.
        try manager.createSymbolicLink(atPath: folder.path("copy-link"), withDestinationPath: folder.path("copy"))
        let isByLink = path == "copy-link-inside"
        source.backup.keys = isByLink ? folder.path("copy/keys") : "\(folder.url.path)/\(path)"
        #expect(throws: SettingsError.self) {
            try StoreBackup(source, folder: folder.path(isByLink ? "copy-link" : "copy")).make()
        }
        #expect(try files(withKeysOf: "\(source.data)/token.keys", below: folder.path("copy")) == [])
        #expect(!Files.exists(folder.path("copy/backup.json")) && !Files.exists(folder.path("token.keys")))
        await close()
    }

    @Test("a folder whose name begins like the copy's is another one")
    func namesAlike() async throws {
        var (source, _, close) = try makeData()
        source.backup.keys = folder.path("copy-keys")
        _ = try StoreBackup(source, folder: folder.path("copy")).make()
        #expect(Files.exists(folder.path("copy-keys/token.keys")))
        await close()
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
