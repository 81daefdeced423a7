import CloudModel
import FileSystem
import RecordStore
import Settings

extension Command {
    static let assetsCopy = Command(
        name: "assets copy",
        usage: "assets copy --from DIR|s3://BUCKET/PREFIX --to DIR|s3://BUCKET/PREFIX --data DIR",
        summary:
            "copies the files that the stores name between a folder and a bucket, also while the record-service runs; files that are there are passed over",
        settings: [.common, .containers, .store, .copyingAssets]
    ) { reading in
        let configuration = reading.configuration
        let (from, to) = (configuration.copyingAssets.from, configuration.copyingAssets.to)
        guard !from.isEmpty, !to.isEmpty, from != to else {
            throw SettingsError("give two places: --from and --to, each a folder or s3://BUCKET/PREFIX")
        }
        let (source, target) = (try AssetPlace(from, configuration), try AssetPlace(to, configuration))
        if let folder = source.folder, !Files.exists(folder) {
            throw SettingsError("--from: there is no folder '\(folder)'")
        }
        let scopes = configuration.scopes.filter { Backends.hasStore(configuration, $0) }
        guard !scopes.isEmpty else {
            throw SettingsError("there is no store in '\(configuration.data)'; give the service's folder with --data")
        }
        var hasDefects = false
        for scope in scopes {
            if try await !copyAssets(scope, from: source, to: target, configuration) { hasDefects = true }
        }
        return hasDefects ? ExitCode.differences : ExitCode.done
    }

    /// Copies the files of a container's environment, and prints a summary; returns false if some are not there.
    private static func copyAssets(
        _ scope: ContainerEnvironment, from source: AssetPlace, to target: AssetPlace, _ configuration: Configuration
    ) async throws -> Bool {
        let spool = "\(configuration.data)/assets-copying"
        let store = try Backends.store(configuration, scope, role: .visitor)
        do {
            // The folder of uploads of a folder belongs to the service; that of a bucket is the command's own.
            let copy = AssetCopy(
                store: store, source: try source.store(scope, spool: spool, role: .visitor),
                target: try target.store(scope, spool: spool, role: target.folder == nil ? .owner : .visitor))
            let summary = try await copy.run { Output.progress("\(scope): \($0.copied) copied") }
            Output.progress("")
            await store.close()
            for defect in summary.defects { Output.error("\(scope): \(defect)") }
            Output.line(
                "\(scope): \(summary.copied) copied with \(summary.copiedBytes) bytes, \(summary.present) were there, \(summary.unreferenced) without bytes and without a record, \(summary.defects.count) missing or damaged"
            )
            return summary.defects.isEmpty
        } catch {
            await store.close()
            throw error
        }
    }
}

extension Configuration {
    /// `assets copy`.
    struct CopyingAssets: Sendable {
        var from = ""
        var to = ""
    }
}

extension SettingGroup {
    static let assetCopySettings: [Setting<Configuration>] = [
        Setting("from", \.copyingAssets.from, "the place to copy from: a folder or s3://…", allowed: assetPlace),
        Setting("to", \.copyingAssets.to, "the place to copy to: a folder or s3://…", allowed: assetPlace),
    ]
}
