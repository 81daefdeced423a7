import Settings

extension Command {
    static let backup = Command(
        name: "backup", usage: "backup FOLDER --data DIR",
        summary: "copies stores, assets and keys into an empty folder, while the record-service runs",
        settings: [.common, .containers, .store]
    ) { reading in
        let folder = try StoreCommand.operand(reading, "the folder to copy to")
        let scopes = try StoreBackup(reading.configuration, folder: folder).make()
        Output.line("\(folder) has \(scopes.joined(separator: ", ")); it holds secrets: keep it as you keep those")
        return ExitCode.done
    }

    static let restore = Command(
        name: "restore", usage: "restore FOLDER --data DIR",
        summary: "puts a copy that 'backup' made into a data folder without stores; the record-service is stopped",
        settings: [.common, .containers, .store]
    ) { reading in
        let folder = try StoreCommand.operand(reading, "the folder of the copy")
        let scopes = try StoreBackup(reading.configuration, folder: folder).restore()
        Output.line("restored \(scopes.joined(separator: ", ")); now 'fanfare repair' shows what the log has more")
        return ExitCode.done
    }
}
