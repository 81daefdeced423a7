import CloudModel
import Cryptography
import RecordService
import RecordStore
import Settings

/// The frame of commands that work on the store beside the service that owns it.
enum StoreCommand {
    /// Opens the store of the target, works, and closes it. A refusal of the service is printed with its reason.
    /// - Parameters:
    ///   - keys: the key ring, for work that seals or opens something; nil for a ring that nobody has.
    ///   - touchesFiles: whether the work removes records' files.
    static func run(
        _ reading: SettingsTable<Configuration>.Reading, options: RecordService.Options = RecordService.Options(),
        keys: KeyRing? = nil, touchesFiles: Bool = false, _ work: @Sendable (ServedScope) async throws -> Int32
    ) async throws -> Int32 {
        let configuration = reading.configuration
        let target = try configuration.target
        let store = try Backends.store(configuration, target, role: .visitor)
        let keys = keys ?? .generate()
        let assets =
            touchesFiles
            ? AssetStorage(
                try Backends.assets(configuration, target, in: AssetPlace(configuration), role: .visitor), keys: keys)
            : nil
        let service = RecordService(
            layout: Backends.layout(configuration, target), store: store, assets: assets, options: options, keys: keys)
        do {
            let code = try await work(ServedScope(service))
            await store.close()
            return code
        } catch let error as CloudError {
            await store.close()
            Output.error(error.reason)
            return ExitCode.failed
        } catch {
            await store.close()
            throw error
        }
    }

    /// The one operand of a command.
    static func operand(_ reading: SettingsTable<Configuration>.Reading, _ what: String) throws -> String {
        guard let operand = reading.operands.first, reading.operands.count == 1 else {
            throw SettingsError("give \(what)")
        }
        return operand
    }
}

extension Command {
    /// The settings of commands that work on the store.
    static let administrating: [SettingGroup] = [.common, .containers, .store, .target, .listing]
}
