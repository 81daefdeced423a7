import CloudModel
import Cryptography
import FileSystem
import JSON
import RecordService
import S3Assets
import SQLite
import Settings

/// A copy of everything outside of Kafka: the stores of the settings' containers and assets, and where it is wanted the
/// key ring, which seals encrypted fields, in another folder. It is made while the record-service runs.
///
/// The log goes on meanwhile, so that a restored copy is older than the log: `fanfare repair` then brings both
/// together, and reports the records saved since.
struct StoreBackup {
    private static let manifest = "backup.json"
    private static let keys = "token.keys"

    private let configuration: Configuration
    private let folder: String

    /// A copy in a folder.
    init(_ configuration: Configuration, folder: String) {
        self.configuration = configuration
        self.folder = folder
    }

    /// The folder of assets; nil where they are in a bucket, which has copies of its own.
    private var assets: String? {
        let place = configuration.assets.place
        if S3Location.isNamed(by: place) { return nil }
        return place.isEmpty ? "\(configuration.data)/assets" : place
    }

    private func store(_ scope: String) -> String { "\(configuration.data)/\(scope).sqlite" }
    private func copy(_ scope: String) -> String { "\(folder)/stores/\(scope).sqlite" }

    /// Makes the copy, in a folder that has none yet. The manifest is written last: a folder without it is no copy.
    /// - Returns: the container environments that it has.
    func make() throws -> [String] {
        guard !Files.exists("\(configuration.data)/log.sqlite") else {
            throw SettingsError(
                "'\(configuration.data)' has an embedded log, which belongs to its store: stop 'fanfare dev' and copy the folder"
            )
        }
        guard Files.files(below: folder).isEmpty else {
            throw SettingsError("'\(folder)' is not empty: each copy has a folder of its own")
        }
        let scopes = configuration.scopes.map { "\($0)" }.filter { Files.exists(store($0)) }
        guard !scopes.isEmpty else {
            throw SettingsError("there is no store in '\(configuration.data)'; give the service's folder with --data")
        }
        try Files.makeFolder("\(folder)/stores")
        // First: where it is refused, nothing is copied.
        try copyKeys()
        // Assets before and after the stores: none that a store names is missing, whether it came or went meanwhile.
        try copyAssets(scopes)
        for scope in scopes {
            let source = try SQLiteConnection.open(SQLiteConfiguration(path: store(scope)), mode: .readOnly)
            try source.copy(to: copy(scope))
        }
        try copyAssets(scopes)
        let manifest: JSONValue = [
            "version": 1, "time": .integer(Timestamp.wallClock().milliseconds),
            "stores": .array(scopes.map { .string($0) }),
        ]
        try Files.replace("\(folder)/\(Self.manifest)", with: Array(try manifest.serialized()))
        return scopes
    }

    /// Copies the key ring into the folder for it, unless that is the copy's folder, within it or above it.
    private func copyKeys() throws {
        guard !configuration.backup.keys.isEmpty else { return }
        try Files.makeFolder(configuration.backup.keys)
        // By the paths without links, and the ring goes where they lead now.
        let (keys, copy) = (try Files.resolved(configuration.backup.keys), try Files.resolved(folder))
        guard !Files.isWithin(keys, copy), !Files.isWithin(copy, keys) else {
            throw SettingsError(
                "--keys '\(configuration.backup.keys)' is not apart from '\(folder)': both together open encrypted fields; give a folder outside of it, of which it is no part"
            )
        }
        let (source, target) = (Backends.keyFile(configuration), "\(keys)/\(Self.keys)")
        guard !Files.exists(target) else {
            throw SettingsError("'\(target)' is there: the ring of each copy has a folder of its own")
        }
        try Files.copy(source, to: target)
    }

    /// Puts the key ring of the folder for it into its place, where another one must not be.
    private func restoreKeys() throws {
        guard !configuration.backup.keys.isEmpty else { return }
        let (source, target) = ("\(configuration.backup.keys)/\(Self.keys)", Backends.keyFile(configuration))
        let ring = try KeyRing.load(file: source)
        guard Files.exists(target) else { return try Files.copy(source, to: target) }
        guard try KeyRing.load(file: target) == ring else {
            throw SettingsError("'\(target)' is there with other keys: move it away, or leave --keys out")
        }
    }

    private func copyAssets(_ scopes: [String]) throws {
        guard let assets else { return }
        for scope in scopes {
            for file in Files.files(below: "\(assets)/\(scope)") {
                let (source, target) = ("\(assets)/\(scope)/\(file)", "\(folder)/assets/\(scope)/\(file)")
                guard !Files.exists(target) else { continue }
                try Files.makeFolder(String(target[..<target.lastIndex(of: "/")!]))
                do {
                    try Files.copy(source, to: target)
                } catch  where !Files.exists(source) {
                    // Removed meanwhile: if it was there before the store was copied, the first pass has it.
                    continue
                }
            }
        }
    }

    /// Puts the copy into the data folder, which must not have any of its stores.
    /// - Returns: the container environments that it has.
    func restore() throws -> [String] {
        guard Files.exists("\(folder)/\(Self.manifest)") else {
            throw SettingsError("'\(folder)' is no complete copy: it has no \(Self.manifest)")
        }
        let json = try JSONValue(parsing: Files.read("\(folder)/\(Self.manifest)"))
        guard json["version"]?.integer == 1, let scopes = json["stores"]?.array?.compactMap(\.string) else {
            throw SettingsError("'\(folder)' is a copy of a version that this one does not know")
        }
        for scope in scopes {
            guard !Files.exists(store(scope)) else {
                throw SettingsError("'\(store(scope))' is there: stop the record-service and move it away")
            }
            let connection = try SQLiteConnection.open(SQLiteConfiguration(path: copy(scope)), mode: .readOnly)
            let state = try connection.first("PRAGMA quick_check") { $0.text(0) }
            guard state == "ok" else { throw SettingsError("'\(copy(scope))' is damaged: \(state ?? "")") }
        }
        try Files.makeFolder(configuration.data)
        try restoreKeys()
        try restoreAssets()
        // Last, as a store without its assets would be taken for whole.
        for scope in scopes { try Files.copy(copy(scope), to: store(scope)) }
        return scopes
    }

    private func restoreAssets() throws {
        let files = Files.files(below: "\(folder)/assets")
        if files.isEmpty { return }
        guard let assets else {
            throw SettingsError(
                "'\(folder)' has assets, and 'assets' names a bucket: restore with --assets FOLDER, and copy that with 'fanfare assets copy'"
            )
        }
        for file in files {
            let target = "\(assets)/\(file)"
            try Files.makeFolder(String(target[..<target.lastIndex(of: "/")!]))
            try Files.copy("\(folder)/assets/\(file)", to: target)
        }
    }
}
