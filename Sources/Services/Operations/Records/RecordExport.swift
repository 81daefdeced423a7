package import CloudCalls
package import CloudModel
package import JSON
import TextForms

/// Exports the records of a query, each once, with whole values: as JSON lines, which are exact, or as CSV. Both are what
/// the console's page of records writes, and `RecordImport` takes them back.
package struct RecordExport: Sendable {
    /// The records to export.
    package struct Query: Sendable {
        package var recordType: String
        /// A predicate in NSPredicate's format; empty for all records of the type.
        package var predicate = ""
        /// A field to sort by, with `-` before it for descending; empty for the order of creation.
        package var sort = ""
        /// A zone of the user, or `*` for all zones; empty for the default zone.
        package var zone = ""

        package init(recordType: String) { self.recordType = recordType }
    }

    private let client: CloudService
    private let database: DatabaseScope
    private let query: Query
    private let withFiles: Bool

    /// An export from a database of the client's user.
    /// - Parameter withFiles: true to write the contents of files, in base64.
    package init(client: CloudService, database: DatabaseScope, query: Query, withFiles: Bool) {
        self.client = client
        self.database = database
        self.query = query
        self.withFiles = withFiles
    }

    /// Writes all records that a file lacks as JSON lines, page by page, and a record at a time. A record whose field of
    /// the order changes meanwhile comes as it was first read; so does one of an export that goes on.
    /// - Parameter progressed: called with the number of records after each page.
    /// - Returns: the number of records in the file.
    package func run(into file: ExportFile, progressed: (Int) -> Void = { _ in }) async throws -> Int {
        while !file.isComplete {
            var body = request
            body["continuationMarker"] = file.marker
            let answer = try await client.patiently(database, "records/query", body)
            for answered in answer["records"]?.array ?? [] {
                var record = ExportedRecord(answered: answered, isShared: database == .shared)
                guard !file.contains(record) else { continue }
                try await record.replaceFiles { _, content in try await exported(content) }
                try file.append(record)
            }
            try file.reach(answer["continuationMarker"])
            progressed(file.count)
        }
        return file.count
    }

    /// The records that the export is of, and their place: an `ExportFile` goes on only with the same.
    /// - Parameter user: the caller, whose rights decide what the export has.
    package func subject(of user: String) -> JSONValue {
        [
            "container": .string(client.scope.container.rawValue),
            "environment": .string("\(client.scope.environment)"),
            "database": .string("\(database)"), "user": .string(user), "type": .string(query.recordType),
            "where": .string(query.predicate), "sort": .string(query.sort), "zone": .string(query.zone),
            "withFiles": .bool(withFiles),
        ]
    }

    /// Writes JSON lines of an export as CSV: once through for the columns, once for the rows.
    /// - Parameter lines: a reader from the first line on, each time that it is called.
    package static func writeTable(_ lines: () throws -> LineReader, _ write: ([UInt8]) throws -> Void) throws {
        var table = RecordTable()
        var reader = try lines()
        while let line = try reader.next() { table.add(try record(line)) }
        try write(table.head)
        reader = try lines()
        while let line = try reader.next() { try write(try table.row(try record(line))) }
    }

    private static func record(_ line: ArraySlice<UInt8>) throws -> ExportedRecord {
        guard let record = try JSONValue(parsing: Array(line)).object.flatMap(ExportedRecord.init(line:)) else {
            throw ImportError("a line is no record of an export")
        }
        return record
    }

    private var request: JSONObject {
        var query: JSONObject = ["recordType": .string(self.query.recordType)]
        if !self.query.predicate.isEmpty { query["predicate"] = .string(self.query.predicate) }
        if !self.query.sort.isEmpty {
            let isDescending = self.query.sort.hasPrefix("-")
            let name = isDescending ? String(self.query.sort.dropFirst()) : self.query.sort
            let system = [
                "recordName": "recordName", "created": "createdTimestamp", "modified": "modifiedTimestamp",
            ][name]
            query["sortBy"] = [
                [
                    system == nil ? "fieldName" : "systemFieldName": .string(system ?? name),
                    "ascending": .bool(!isDescending),
                ]
            ]
        }
        var body: JSONObject = ["query": .object(query), "numbersAsStrings": true]
        if self.query.zone == "*" {
            body["zoneWide"] = true
        } else if !self.query.zone.isEmpty {
            body["zoneID"] = ["zoneName": .string(self.query.zone)]
        }
        return body
    }

    private func exported(_ file: JSONValue) async throws -> JSONValue {
        var members: JSONObject = [:]
        for key in ["fileChecksum", "size"] { members[key] = file[key] }
        if withFiles, let url = file["downloadURL"]?.string {
            let content = try await client.patiently { try await client.contents(of: url) }
            members["content"] = .string(Base64.standard.encode(content))
        }
        return .object(members)
    }
}
