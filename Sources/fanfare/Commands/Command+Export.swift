import CloudModel
import Operations
import Settings

extension Command {
    static let exportRecords = Command(
        name: "export",
        usage:
            "export FILE --type NAME [--where PREDICATE] [--sort FIELD] [--zone NAME] [--csv] [--without-files] --url URL --api-token TOKEN --user NAME",
        summary: "exports the records of a query as JSON lines or CSV, which import takes back",
        settings: [.common, .containers, .target, .client, .exporting], takesWords: true
    ) { reading in
        let configuration = reading.configuration
        guard let path = reading.operands.first, reading.operands.count == 1 else {
            throw SettingsError("give one file to write")
        }
        let asked = configuration.exporting
        guard !asked.type.isEmpty else { throw SettingsError("--type is needed") }
        var query = RecordExport.Query(recordType: asked.type)
        query.predicate = asked.predicate
        query.sort = asked.sort
        query.zone = asked.zone
        let export = RecordExport(
            client: try await Clients.signedIn(configuration), database: try Clients.database(configuration),
            query: query, withFiles: !asked.leavesFilesOut)
        let lines = try FileReplacement(asked.isTable ? "\(path).lines" : path)
        let count = try await export.run(lines.write) { Output.progress("\($0) records") }
        Output.progress("")
        if asked.isTable {
            let table = try FileReplacement(path)
            try RecordExport.writeTable({ try LineReader(path: lines.temporary) }, table.write)
            try table.finish()
        } else {
            try lines.finish()
        }
        Output.line(configuration.printing.isJSON ? "{\"exported\":\(count)}" : "\(count) records exported")
        return ExitCode.done
    }
}

extension Configuration {
    /// `export`.
    struct Exporting: Sendable {
        var type = ""
        var predicate = ""
        var sort = ""
        var zone = ""
        var isTable = false
        var leavesFilesOut = false
    }
}

extension SettingGroup {
    static let exportSettings: [Setting<Configuration>] = [
        Setting("database", \.client.database, "public, private or shared") { text in
            DatabaseScope(text) == nil ? "is public, private or shared, not '\(text)'" : nil
        },
        Setting("type", \.exporting.type, "the record type"),
        Setting(
            "where", \.exporting.predicate, "a predicate, such as year > 1900; all records of the type when absent"),
        Setting(
            "sort", \.exporting.sort,
            "a field to sort by, or recordName, created, modified; with - before it descending"),
        Setting("zone", \.exporting.zone, "a zone of the user, or * for all; the default zone when absent"),
        Setting("csv", \.exporting.isTable, "CSV in place of JSON lines; no cell runs as a formula"),
        Setting("without-files", \.exporting.leavesFilesOut, "size and checksum of files, without their contents"),
    ]
}
