import JSON
import Testing

@testable import Operations

/// Tables of records: no cell runs, and each text comes back as it was.
@Suite struct RecordTableTests {
    private static let hostile = [
        "", " ", "'", "''", "=1+1", "'=1+1", "''=1", "+1", "-1", "-1.5e-7", "-1x", "@SUM(1)", "\t=1", "\r\n=1", "a,b",
        "a\"b",
        "\"", "\"\"", "\n", "line\r\nline", "\r", "\u{FF1D}1", "\u{202E}gpj", "\u{0}", "\u{301}=", "'tis", "{}", "[1]",
    ]

    private func record(_ name: String, _ fields: JSONObject, zone: String? = nil) -> ExportedRecord {
        var members: JSONObject = ["recordName": .string(name), "fields": .object(fields)]
        if let zone { members["zoneID"] = ["zoneName": .string(zone)] }
        return ExportedRecord(members: members)
    }

    /// Writes records, and reads the lines again as `ImportedLines` do.
    private func bothWays(_ records: [ExportedRecord]) throws -> (text: String, records: [JSONObject]) {
        var table = RecordTable()
        for record in records { table.add(record) }
        let text = try records.reduce(into: table.head) { $0 += try table.row($1) }
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()[...]
        var read = ImportedLines(RecordImport.Mapping(recordType: nil, recordNameKey: ""))
        var found: [JSONObject] = []
        while let operation = try read.next({ lines.popFirst() }) {
            if case .exported(let record) = operation.content { found.append(record.members) }
        }
        return (String(decoding: text, as: UTF8.self), found)
    }

    @Test func `hostile texts come back, as values and as names`() throws {
        let records = Self.hostile.filter { !$0.isEmpty }.map { name in
            record(
                name, ["text": ["value": .string(name), "type": "STRING"], "none": ["value": "", "type": "STRING"]])
        }
        #expect(try bothWays(records).records == records.map(\.members))
    }

    @Test func `no cell runs, and numbers stay numbers`() throws {
        for text in Self.hostile {
            let line = try bothWays([record("r", ["text": ["value": .string(text), "type": "STRING"]])]).text
            let row = Array(line.utf8).split(separator: 0x0A, maxSplits: 1)[1]
            let cell = try #require(RecordTable.cells(row.dropLast())[1])
            let first = try #require(cell.unicodeScalars.first ?? (text.isEmpty ? "x" : nil))
            let isNumber = Double(cell) != nil
            #expect(!"=+@\t\r\n\u{FF1D}".unicodeScalars.contains(first) && (first != "-" || isNumber), "\(cell)")
        }
    }

    @Test func `an absent field, an empty text and an empty list are three things`() throws {
        let records = [
            record("a", ["text": ["value": "", "type": "STRING"], "list": ["value": [], "type": "STRING_LIST"]]),
            record("b", [:]),
        ]
        let found = try bothWays(records)
        #expect(found.text == "recordName,text:STRING,list:STRING_LIST\r\na,\"\",[]\r\nb,,\r\n")
        #expect(found.records == records.map(\.members))
    }

    @Test func `types, locks, zones and values that are JSON come back`() throws {
        let records = [
            record(
                "a",
                [
                    "place": ["value": ["latitude": -0.5, "longitude": 1.25], "type": "LOCATION"],
                    "sealed": ["value": "=1", "type": "STRING", "isEncrypted": true],
                    "many": ["value": ["-1", "9223372036854775807"], "type": "INT64_LIST"],
                ], zone: "Z, \"z\""), record("b", ["sealed": ["value": "5", "type": "INT64"]]),
        ]
        let found = try bothWays(records)
        #expect(
            found.text.hasPrefix(
                "recordName,zoneID,place:LOCATION,sealed:ENCRYPTED_STRING,many:INT64_LIST,sealed:INT64"))
        #expect(found.records == records.map(\.members))
    }

    @Test(arguments: [
        ("title,year\r\na,1\r\n", "line 1 is no JSON object, and no row of columns with their types"),
        ("recordName,many:INT64_LIST\r\na,[1\r\n", "line 2"),
    ])
    func `a table that cannot be read is refused`(text: String, words: String) throws {
        var lines = Array(text.utf8).split(separator: 0x0A)[...]
        var read = ImportedLines(RecordImport.Mapping(recordType: nil, recordNameKey: ""))
        let error = #expect(throws: ImportError.self) { while try read.next({ lines.popFirst() }) != nil {} }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }
}
