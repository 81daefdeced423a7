import CloudModel
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
        return (String(decoding: text, as: UTF8.self), try read(text).map(\.members))
    }

    /// Reads a table; rows that cannot be read are an error of the test.
    private func read(
        _ text: [UInt8], types: [String: FieldType] = [:], key: String = ""
    ) throws -> [ExportedRecord] {
        try rows(text, types: types, key: key).map { row in
            guard case .operation(let operation) = row, case .exported(var record, _) = operation.content else {
                throw ImportError("\(row)")
            }
            record.members["recordType"] = nil
            return record
        }
    }

    private func rows(
        _ text: [UInt8], types: [String: FieldType] = [:], key: String = "", references: [String: RecordType] = [:]
    ) throws -> [ImportedLines.Line] {
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
        if lines.last?.isEmpty == true { lines.removeLast() }
        let mapping = RecordImport.Mapping(
            recordType: RecordType(trusted: "Work"), recordNameKey: key, references: references)
        var read = try ImportedLines(mapping) { lines.popFirst() }
        try read.resolve(types, "")
        var found: [ImportedLines.Line] = []
        while let line = try read.next() { found.append(line) }
        return found
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
            let cell = try #require(TableRow(row.dropLast()[...], next: { nil }).cells[1])
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

    /// A table of another program, and its titles by name.
    private struct Other: Sendable {
        var text: String
        var titles: [String: String]
    }

    private static let others = [
        Other(text: "recordName,title\r\na,\"x, \"\"y\"\"\"\r\n", titles: ["a": "x, \"y\""]),
        Other(text: "title,recordName\nx,a", titles: ["a": "x"]),
        Other(text: "\u{FEFF}recordName,title\na,x\n", titles: ["a": "x"]),
        Other(text: "\u{FEFF}\"recordName\",\"title\"\na,x\n", titles: ["a": "x"]),
        Other(text: "recordName,title\na,\"x\n\ny\"\nb,z\n", titles: ["a": "x\n\ny", "b": "z"]),
        Other(text: "recordName,title\r\na,\"x\r\ny\"\r\n\r\nb,z\r\n", titles: ["a": "x\r\ny", "b": "z"]),
        Other(text: "recordName,title\na,5\" pipe\nb,6\" pipe\n", titles: ["a": "5\" pipe", "b": "6\" pipe"]),
        Other(text: "recordName,title\na, \nb,'\n", titles: ["a": " ", "b": "'"]),
        Other(text: "\n  \nrecordName,title,\na,x,\n", titles: ["a": "x"]),
        Other(text: "recordName,title\na,ü漢\u{1F600}\n", titles: ["a": "ü漢\u{1F600}"]),
    ]

    @Test(arguments: others)
    private func `tables of others are read with quotes, line ends, a byte order mark`(_ other: Other) throws {
        let found = try read(Array(other.text.utf8), types: ["title": .string])
        let titles = found.map { ($0.name ?? "", $0.fields["title"]?["value"]?.string ?? "none") }
        #expect(Dictionary(uniqueKeysWithValues: titles) == other.titles)
    }

    @Test func `types come from the first row, then from a schema, and empty cells are no fields`() throws {
        let text = """
            id,year,price:DOUBLE,when,tags,artist,secret,note,place
            a,1950,1.5,2026-01-31T12:00:00Z,"[""x"",""y""]",turner,s,"","{""latitude"":1,""longitude"":2}"
            b,,,,,,,,
            c,"","","","","",,,
            d,-1,0,-5,[],"{""recordName"":""t"",""action"":""VALIDATE""}",,'=1,
            """
        let types: [String: FieldType] = [
            "year": .int64, "when": .timestamp, "tags": .stringList, "artist": .reference, "secret": .encryptedString,
            "note": .string, "place": .location,
        ]
        let found = try read(Array(text.utf8), types: types, key: "id").map(\.fields)
        #expect(
            found[0] == [
                "year": ["value": "1950", "type": "INT64"], "price": ["value": "1.5", "type": "DOUBLE"],
                "when": ["value": "1769860800000", "type": "TIMESTAMP"],
                "tags": ["value": ["x", "y"], "type": "STRING_LIST"],
                "artist": ["value": ["recordName": "turner"], "type": "REFERENCE"],
                "secret": ["value": "s", "type": "STRING", "isEncrypted": true],
                "note": ["value": "", "type": "STRING"],
                "place": ["value": ["latitude": 1, "longitude": 2], "type": "LOCATION"],
            ])
        #expect(found[1].isEmpty && found[2].isEmpty)
        #expect(
            found[3] == [
                "year": ["value": "-1", "type": "INT64"], "price": ["value": "0", "type": "DOUBLE"],
                "when": ["value": "-5", "type": "TIMESTAMP"], "tags": ["value": [], "type": "STRING_LIST"],
                "artist": ["value": ["recordName": "t", "action": "VALIDATE"], "type": "REFERENCE"],
                "note": ["value": "=1", "type": "STRING"],
            ])
    }

    @Test func `a table whose columns all have types takes the place of records, another changes fields`() throws {
        for (head, key, expected) in [
            ("recordName,title:STRING", "", true), ("recordName,title", "", false), ("id,title:STRING", "id", false),
        ] {
            let rows = try rows(Array("\(head)\na,x\n".utf8), types: ["title": .string], key: key)
            guard case .operation(let operation) = rows.first, case .exported(_, let isWhole) = operation.content
            else {
                Issue.record("\(rows)")
                continue
            }
            #expect(isWhole == expected && operation.line == 2, "\(head)")
        }
    }

    @Test(arguments: [
        ("id,title\na,x\n", "line 1 has no column 'recordName'"),
        ("recordName,title,title\na,x,y\n", "the column 'title' twice"),
        ("recordName,title,colour\na,x,y\n", "line 1 has no type of 'colour',"),
        ("recordName,n:INTEGER\na,1\n", "line 1 has no type of 'n:INTEGER',"),
        ("recordName;title\na;x\n", "separated by commas, not ';'"),
        ("recordName\ttitle\na\tx\n", "separated by commas, not '\t'"),
        ("recordName,title\ra,x\r", "carriage return alone"),
        ("\"recordName,title\na,x\n", "a quote has no second one"),
        ("no CSV at all", "line 1 has no column 'recordName'"),
    ])
    func `a first row that cannot be read is refused`(text: String, words: String) throws {
        let error = #expect(throws: ImportError.self) { try rows(Array(text.utf8), types: ["title": .string]) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `a first row in UTF-16 or Latin-1 is refused`() throws {
        let latin: [UInt8] = Array("recordName,gr".utf8) + [0xF6]
        for text in [[0xFF, 0xFE, 0x72, 0x00], latin] {
            let error = #expect(throws: ImportError.self) { try rows(text) }
            #expect(error?.description.contains("UTF-8") == true, "\(String(describing: error))")
        }
    }

    @Test(arguments: [
        ("a,1,2", "line 3: the row has 3 cells, and the first row 4"),
        ("a,1,2,3,4", "line 3: the row has 5 cells, and the first row 4"),
        (",1,2,3", "line 3: 'recordName' is empty"), ("\"\",1,2,3", "line 3: 'recordName' is empty"),
        ("a,x,2,3", "line 3: 'n' is not an INT64: 'x'"), ("a, 1,2,3", "line 3: 'n' is not an INT64: ' 1'"),
        ("a,9223372036854775808,2,3", "line 3: 'n' is not an INT64"), ("a,1.0,2,3", "line 3: 'n' is not an INT64"),
        ("a,1,inf,3", "line 3: 'd' is not a DOUBLE"), ("a,1,\"1,5\",3", "line 3: 'd' is not a DOUBLE: '1,5'"),
        ("a,1,2,yesterday", "line 3: 't' is not a TIMESTAMP, milliseconds"),
        ("a,1,2,\"\n\n4", "line 3: a quote has no second one"),
    ])
    func `a row that cannot be read is named by its first line, and the others are read`(row: String, words: String)
        throws
    {
        let text = "recordName,n:INT64,d:DOUBLE,t:TIMESTAMP\nbefore,1,2,3\n\(row)\nafter,1,2,3\n"
        let found = try rows(Array(text.utf8))
        let reasons = found.compactMap { if case .unreadable(let reason) = $0 { reason } else { nil } }
        #expect(reasons.count == 1 && reasons[0].hasPrefix(words), "\(reasons)")
        let isOpen = row.contains("\n")
        #expect(found.count == (isOpen ? 2 : 3))
    }

    @Test func `a row in Latin-1 is refused, and a list that is none`() throws {
        var text = Array("recordName,t:STRING,l:INT64_LIST\na,gr".utf8)
        text += [0xF6] + Array(",[]\nb,x,[1\n".utf8)
        let reasons = try rows(text).compactMap { if case .unreadable(let reason) = $0 { reason } else { nil } }
        #expect(
            reasons == [
                "line 2: cell 2 is not UTF-8: save the file as UTF-8", "line 3: 'l' is not JSON of INT64_LIST: '[1'",
            ])
    }

    @Test func `a quote that is never closed does not take in the whole file`() throws {
        var taken = 0
        let row = TableRow(Array("a,\"".utf8)[...], bytesMax: 100) {
            taken += 1
            return Array("0123456789".utf8)[...]
        }
        #expect(row.fault?.hasPrefix("it has more than 100 bytes") == true && taken == 10)
    }

    @Test func `two columns of a field may have its types, but not both a value`() throws {
        let text = "recordName,s:STRING,s:INT64\na,x,\nb,,1\nc,x,1\n"
        let found = try rows(Array(text.utf8))
        guard case .unreadable(let reason) = found[2] else { throw ImportError("\(found)") }
        #expect(reason == "line 4: 's' has a value in two columns")
    }
}
