import FileSystem
import S3Assets
import Settings

extension Command {
    static let backup = Command(
        name: "backup", usage: "backup FOLDER --data DIR [--keys FOLDER]",
        summary:
            "copies stores and assets into an empty folder, and with --keys the key ring into another, while the record-service runs",
        settings: [.common, .containers, .store, .backup], takesWords: true
    ) { reading in
        let folder = try StoreCommand.operand(reading, "the folder to copy to")
        let scopes = try StoreBackup(reading.configuration, folder: folder).make()
        let keys = reading.configuration.backup.keys
        if S3Location.isNamed(by: reading.configuration.assets.place) {
            Output.line("assets are in a bucket, and not copied: keep versions of its objects")
        }
        Output.line("\(folder) has \(scopes.joined(separator: ", ")); its records are people's: keep them as such")
        Output.line(
            keys.isEmpty
                ? "the key ring is not copied: without it no encrypted field opens; --keys FOLDER copies it elsewhere"
                : "\(keys) has the key ring: keep it apart from \(folder), as both together open encrypted fields")
        return ExitCode.done
    }

    static let restore = Command(
        name: "restore", usage: "restore FOLDER --data DIR [--keys FOLDER]",
        summary:
            "puts a copy that 'backup' made into a data folder without stores, and with --keys its key ring; the record-service is stopped",
        settings: [.common, .containers, .store, .backup], takesWords: true
    ) { reading in
        let folder = try StoreCommand.operand(reading, "the folder of the copy")
        let scopes = try StoreBackup(reading.configuration, folder: folder).restore()
        let keys = Backends.keyFile(reading.configuration)
        if !Files.exists(keys) {
            Output.error("there is no key ring in \(keys) yet: put there the one that belongs to these stores")
        }
        Output.line("restored \(scopes.joined(separator: ", ")); now 'fanfare repair' shows what the log has more")
        return ExitCode.done
    }
}

extension Configuration {
    /// `backup` and `restore`.
    struct Backup: Sendable {
        var keys = ""
    }
}

extension SettingGroup {
    static let backupSettings: [Setting<Configuration>] = [
        Setting(
            "keys", \.backup.keys,
            "the folder of the copy of the key ring, apart from that of the stores; when absent the ring is neither copied nor restored"
        )
    ]
}
