import CloudModel
import FileSystem
import Operations
import Settings

extension Command {
    static let exportRecords = Command(
        name: "export",
        usage:
            "export FILE --type NAME [--where PREDICATE] [--sort FIELD] [--zone NAME] [--csv] [--without-files] [--resume] --url URL --api-token TOKEN --user NAME",
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
        let (client, user) = try await Clients.user(configuration)
        let export = RecordExport(
            client: client, database: try Clients.database(configuration), query: query,
            withFiles: !asked.leavesFilesOut)
        let file = try ExportFile(path, subject: export.subject(of: user), resumes: asked.resumes)
        if file.count > 0 {
            Output.error("\(file.count) records are in \(file.partial): the export goes on after them")
        }
        let count: Int
        do {
            count = try await export.run(into: file) { Output.progress("\($0) records") }
            Output.progress("")
            try finish(file, as: path, isTable: asked.isTable)
        } catch {
            Output.progress("")
            guard file.count > 0 else {
                file.discard()
                throw error
            }
            Output.error("\(file.count) records are in \(file.partial): --resume goes on after them")
            throw error
        }
        Output.line(configuration.printing.isJSON ? "{\"exported\":\(count)}" : "\(count) records exported")
        return ExitCode.done
    }

    private static func finish(_ file: ExportFile, as path: String, isTable: Bool) throws {
        guard isTable else { return try file.finish() }
        let table = try FileReplacement(path)
        try RecordExport.writeTable({ try LineReader(path: file.partial) }, table.write)
        try table.finish()
        file.discard()
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
        var resumes = false
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
        Setting(
            "resume", \.exporting.resumes, "go on with an export that ended early, after the records in FILE.partial"),
    ]
}
