import CloudModel
import Operations
import Settings

extension Command {
    static let importRecords = Command(
        name: "import",
        usage:
            "import FILE [--type NAME] [--record-name KEY] [--reference KEY=TYPE,…] --url URL --api-token TOKEN --user NAME",
        summary: "imports records from an export, or from other JSON lines; gzip understood",
        settings: [.common, .containers, .target, .client, .importing], takesWords: true
    ) { reading in
        let configuration = reading.configuration
        guard let path = reading.operands.first, reading.operands.count == 1 else {
            throw SettingsError("give one file to import")
        }
        let lines = try LineReader(path: path)
        let importer = RecordImport(
            client: try await Clients.signedIn(configuration), database: try Clients.database(configuration),
            mapping: try mapping(configuration))
        let result = try await importer.run(lines.next) { progress in
            let share = lines.fileBytes > 0 ? lines.bytesRead * 100 / lines.fileBytes : 100
            Output.progress("\(share) %  \(progress.saved) records")
        }
        Output.progress("")
        for failure in result.failures { Output.error(failure) }
        if configuration.printing.isJSON {
            Output.line("{\"saved\":\(result.saved),\"failed\":\(result.failed)}")
        } else {
            Output.line("\(result.saved) records saved, \(result.failed) refused")
        }
        return result.failed == 0 ? ExitCode.done : ExitCode.failed
    }

    private static func mapping(_ configuration: Configuration) throws -> RecordImport.Mapping {
        do {
            let type = configuration.importing.type
            var mapping = RecordImport.Mapping(
                recordType: type.isEmpty ? nil : try RecordType(type),
                recordNameKey: configuration.importing.recordName)
            for reference in configuration.importing.references {
                let parts = reference.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { throw SettingsError("--reference is KEY=TYPE, not '\(reference)'") }
                mapping.references[String(parts[0])] = try RecordType(String(parts[1]))
            }
            return mapping
        } catch let error as CloudError {
            throw SettingsError(error.reason)
        }
    }
}

extension Configuration {
    /// `import`.
    struct Importing: Sendable {
        var type = ""
        var recordName = ""
        var references: [String] = []
    }
}

extension SettingGroup {
    static let importSettings: [Setting<Configuration>] = [
        Setting("database", \.client.database, "public, private or shared") { text in
            DatabaseScope(text) == nil ? "is public, private or shared, not '\(text)'" : nil
        },
        Setting("type", \.importing.type, "the record type; that of the lines of an export when absent"),
        Setting(
            "record-name", \.importing.recordName,
            "the member of each line that names the record; exports have their own"),
        Setting(
            "reference", \.importing.references, "KEY=TYPE: this member names a record of that type; several by commas"),
    ]
}
