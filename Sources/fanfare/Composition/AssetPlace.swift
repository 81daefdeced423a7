import CloudModel
import FileAssets
import RecordStore
import S3Assets
import Settings
import Telemetry

/// The place of records' files: a folder or a bucket. This type chooses the backend.
enum AssetPlace: Sendable {
    case folder(String)
    case bucket(S3Bucket)

    /// The place that the settings name.
    /// - Throws: `SettingsError`.
    init(_ configuration: Configuration) throws {
        let place = configuration.assets.place
        try self.init(place.isEmpty ? "\(configuration.data)/assets" : place, configuration)
    }

    /// The place that a text names, reached by the settings.
    /// - Throws: `SettingsError`.
    init(_ text: String, _ configuration: Configuration) throws {
        guard S3Location.isNamed(by: text) else {
            self = .folder(text)
            return
        }
        self = .bucket(try configuration.assets.bucket(text, environment: Configuration.environment))
    }

    /// The folder; nil for a bucket.
    var folder: String? { if case .folder(let folder) = self { folder } else { nil } }

    /// The files of a container's environment.
    /// - Parameter spool: the folder for uploads to a bucket.
    func store(
        _ scope: ContainerEnvironment, spool: String, role: StoreRole = .owner
    ) throws -> any AssetStore {
        switch self {
        case .folder(let folder): try FileAssets(folder: "\(folder)/\(scope)", role: role)
        case .bucket(let bucket): try S3Assets(bucket, scope: "\(scope)", spool: "\(spool)/\(scope)", role: role)
        }
    }

    /// Tries out the buckets of stores. One that cannot be reached now is a warning, as it may come back.
    /// - Throws: `StoreError` with the reason for which one cannot be used.
    static func check(_ stores: [any AssetStore]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores.compactMap({ $0 as? S3Assets }) {
                group.addTask {
                    if let reason = try await store.check() { Log.warning("assets.unreachable", ["error": reason]) }
                }
            }
            try await group.waitForAll()
        }
    }
}
