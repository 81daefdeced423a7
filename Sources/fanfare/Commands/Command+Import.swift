import CloudModel
import FileSystem
import Operations
import Settings

extension Command {
    static let importRecords = Command(
        name: "import",
        usage:
            "import FILE [--type NAME] [--record-name KEY] [--reference KEY=TYPE,…] [--schema FILE] --url URL --api-token TOKEN --user NAME",
        summary: "imports records from an export, or from other JSON lines or CSV; gzip understood",
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
        let result = try await importer.run({ try lines.next() }, refused: refuse) { progress in
            let share = lines.fileBytes > 0 ? lines.bytesRead * 100 / lines.fileBytes : 100
            Output.progress("\(share) %  \(progress.saved) records")
        }
        Output.progress("")
        if configuration.printing.isJSON {
            Output.line("{\"saved\":\(result.saved),\"failed\":\(result.failed)}")
        } else {
            Output.line("\(result.saved) records saved, \(result.failed) refused")
        }
        return result.failed == 0 ? ExitCode.done : ExitCode.failed
    }

    private static func refuse(_ reason: String) {
        Output.progress("")
        Output.error(reason)
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
            if !configuration.importing.schema.isEmpty, let type = mapping.recordType {
                let text = String(decoding: try Files.read(configuration.importing.schema), as: UTF8.self)
                let fields = try SchemaText.read(text).types[type]?.fields ?? [:]
                mapping.fieldTypes = Dictionary(uniqueKeysWithValues: fields.map { ($0.key.rawValue, $0.value.type) })
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
        var schema = ""
    }
}

extension SettingGroup {
    static let importSettings: [Setting<Configuration>] = [
        Setting("database", \.client.database, "public, private or shared") { text in
            DatabaseScope(text) == nil ? "is public, private or shared, not '\(text)'" : nil
        },
        Setting("type", \.importing.type, "the record type; that of an export's JSON lines when absent"),
        Setting(
            "record-name", \.importing.recordName,
            "the member or column that names the record; exports have their own"),
        Setting(
            "reference", \.importing.references, "KEY=TYPE: this member names a record of that type; several by commas"),
        Setting(
            "schema", \.importing.schema,
            "a file of 'schema export', which has the types of columns; else the service's records have them"),
    ]
}
