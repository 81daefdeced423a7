package import CloudCalls
package import CloudModel
import JSON
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

    /// Writes all records as JSON lines, page by page. A record whose field of the order changes meanwhile comes as it was
    /// first read.
    /// - Parameters:
    ///   - write: takes the bytes of a page.
    ///   - progressed: called with the number of records after each page.
    /// - Returns: the number of records.
    package func run(_ write: ([UInt8]) throws -> Void, progressed: (Int) -> Void = { _ in }) async throws -> Int {
        var seen: Set<String> = []
        var marker: JSONValue?
        repeat {
            var body = request
            body["continuationMarker"] = marker
            let answer = try await client.patiently(database, "records/query", body)
            var page: [UInt8] = []
            for answered in answer["records"]?.array ?? [] {
                var record = ExportedRecord(answered: answered, isShared: database == .shared)
                guard seen.insert(key(answered)).inserted else { continue }
                try await record.replaceFiles { _, file in try await exported(file) }
                page += try JSONValue.object(record.members).serialized() + [0x0A]
            }
            try write(page)
            progressed(seen.count)
            marker = answer["continuationMarker"]
        } while marker != nil
        return seen.count
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

    /// The name of a record with its zone, which no other record has.
    private func key(_ record: JSONValue) -> String {
        let zone = record["zoneID"]
        return [zone?["ownerRecordName"], zone?["zoneName"], record["recordName"]]
            .map { $0?.string ?? "" }.joined(separator: "\n")
    }

    private func exported(_ file: JSONValue) async throws -> JSONValue {
        var members: JSONObject = [:]
        for key in ["fileChecksum", "size"] { members[key] = file[key] }
        if withFiles, let url = file["downloadURL"]?.string {
            members["content"] = .string(Base64.standard.encode(try await client.contents(of: url)))
        }
        return .object(members)
    }
}
