import CloudModel
import JSON
import RecordService
import SQLite
import Settings

/// A copy of all that Kafka does not have: the stores of the settings' containers, assets, and the key ring. It is made while
/// the record-service runs.
///
/// The log goes on meanwhile, so that a copy is older than the log when it is put back: `fanfare repair` then brings both
/// together, and says what was saved since.
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

    private var assets: String {
        configuration.assetsFolder.isEmpty ? "\(configuration.data)/assets" : configuration.assetsFolder
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
        // Assets before and after the stores: none that a store names is missing, whether it came or went meanwhile.
        try copyAssets(scopes)
        for scope in scopes {
            let source = try SQLiteConnection.open(SQLiteConfiguration(path: store(scope)), mode: .readOnly)
            try source.copy(to: copy(scope))
        }
        try copyAssets(scopes)
        try Files.copy(Backends.keyFile(configuration), to: "\(folder)/\(Self.keys)")
        let manifest: JSONValue = [
            "version": 1, "time": .integer(Timestamp.wallClock().milliseconds),
            "stores": .array(scopes.map { .string($0) }),
        ]
        try Files.replace("\(folder)/\(Self.manifest)", with: Array(try manifest.serialized()))
        return scopes
    }

    private func copyAssets(_ scopes: [String]) throws {
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
        for file in Files.files(below: "\(folder)/assets") {
            let target = "\(assets)/\(file)"
            try Files.makeFolder(String(target[..<target.lastIndex(of: "/")!]))
            try Files.copy("\(folder)/assets/\(file)", to: target)
        }
        let keys = Backends.keyFile(configuration)
        if !Files.exists(keys) { try Files.copy("\(folder)/\(Self.keys)", to: keys) }
        // Last, as a store without its assets would be taken for whole.
        for scope in scopes { try Files.copy(copy(scope), to: store(scope)) }
        return scopes
    }
}
