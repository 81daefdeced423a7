import CloudModel
import JSON

/// Records as CSV (RFC 4180) whose cells no spreadsheet runs, and that is read back as it was. The first row has
/// `recordName`, and for each field its name and type, such as `title:STRING`; `zoneID` and `parent` where a record has
/// them. A text that would run as a formula has a quote before it; the empty text is `""`, an absent field an empty cell.
struct RecordTable: Sendable {
    /// Names of columns, in order.
    private(set) var columns = ["recordName"]
    private var places = ["recordName": 0]
    private var hasZones = false
    private var hasParents = false
    /// The fields of columns, the place of the one that names records, and whether all columns are as exports have them.
    private var fields: [Field?] = []
    private var namePlace = 0
    private(set) var isOfExport = true

    /// A table without rows.
    init() {}

    // MARK: Writing

    /// Adds the columns of a record.
    mutating func add(_ record: ExportedRecord) {
        hasZones = hasZones || record.members["zoneID"] != nil
        hasParents = hasParents || record.members["parent"] != nil
        for (name, field) in record.fields {
            let column = Self.column(name, field)
            guard places[column] == nil else { continue }
            places[column] = columns.count
            columns.append(column)
        }
    }

    /// The first row.
    var head: [UInt8] { Self.line(shownFirst + columns.dropFirst()) }

    /// The row of a record whose columns were added.
    func row(_ record: ExportedRecord) throws -> [UInt8] {
        var cells = [String?](repeating: nil, count: columns.count)
        for (name, field) in record.fields {
            if let place = places[Self.column(name, field)] { cells[place] = try Self.text(field["value"] ?? .null) }
        }
        var first = [record.name]
        if hasZones { first.append(try record.members["zoneID"].flatMap(Self.text)) }
        if hasParents { first.append(record.members["parent"]?["recordName"]?.string) }
        return Self.line(first + cells.dropFirst())
    }

    private var shownFirst: [String] {
        ["recordName"] + (hasZones ? ["zoneID"] : []) + (hasParents ? ["parent"] : [])
    }

    private static func column(_ name: String, _ field: JSONValue) -> String {
        let type = field["type"]?.string ?? "STRING"
        let plain = type.hasPrefix(sealed) ? String(type.dropFirst(sealed.count)) : type
        return "\(name):\(field["isEncrypted"]?.bool == true ? sealed : "")\(plain)"
    }

    /// A value as text; nil for none.
    private static func text(_ value: JSONValue) throws -> String? {
        switch value {
        case .null: nil
        case .string(let text): text
        default: String(decoding: try value.serialized(), as: UTF8.self)
        }
    }

    private static func line(_ cells: [String?]) -> [UInt8] {
        Array((cells.map(cell).joined(separator: ",") + "\r\n").utf8)
    }

    private static func cell(_ text: String?) -> String {
        guard let text else { return "" }
        let safe = runs(text) && !isNumber(text) ? "'\(text)" : text
        let needsQuotes = safe.isEmpty || safe.utf8.contains { $0 == quote || $0 == comma || $0 == 0x0A || $0 == 0x0D }
        guard needsQuotes else { return safe }
        var bytes = [quote]
        for byte in safe.utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [quote], as: UTF8.self)
    }

    // MARK: Reading

    /// The table of a first row.
    /// - Throws: `ImportError` if the row cannot be read, names a column twice, or no column names records.
    init(head row: TableRow, _ mapping: RecordImport.Mapping) throws {
        if let fault = row.fault { throw ImportError("line 1: \(fault)") }
        columns = row.cells.map { $0 ?? "" }
        if columns.count == 1, let other = columns[0].first(where: { ";\t|".contains($0) }) {
            throw ImportError("line 1 has one column: the columns are separated by commas, not '\(other)'")
        }
        for (place, column) in columns.enumerated() where !column.isEmpty && columns[..<place].contains(column) {
            throw ImportError("line 1 has the column '\(column)' twice")
        }
        let key = mapping.recordNameKey.isEmpty ? "recordName" : mapping.recordNameKey
        guard let place = columns.firstIndex(of: key) else {
            throw ImportError(
                "line 1 has no column '\(key)': --record-name says which column names the records; of JSON lines each "
                    + "line begins with {")
        }
        guard mapping.recordType != nil else {
            throw ImportError("--type is needed: rows of CSV do not say their record type")
        }
        namePlace = place
        fields = columns.map { Self.field(of: $0) }
        for (place, column) in columns.enumerated() where mapping.references[column] != nil {
            fields[place] = Field(name: column, type: "REFERENCE", isSealed: false)
        }
        isOfExport = mapping.recordNameKey.isEmpty && untypedColumns.isEmpty
    }

    /// The columns that are fields, and do not say their type.
    var untypedColumns: [String] {
        columns.indices.filter { isUntyped($0) && $0 != namePlace }.map { columns[$0] }
    }

    /// Gives columns that do not say it the types of fields.
    /// - Throws: `ImportError` if there is none for a column.
    mutating func resolve(_ types: [String: FieldType], _ hint: String = "") throws {
        for place in columns.indices where isUntyped(place) {
            guard let type = types[columns[place]] else { continue }
            fields[place] = Self.field(of: "\(columns[place]):\(type)")
        }
        let unknown = untypedColumns
        guard unknown.isEmpty else {
            let names = unknown.map { "'\($0)'" }.joined(separator: ", ")
            throw ImportError(
                "line 1 has no type of \(names), and neither has a schema nor a record that is there\(hint): write it as "
                    + "\(unknown[0]):STRING, or give --schema FILE")
        }
    }

    /// The record of a row.
    func record(_ row: TableRow) throws(RowError) -> ExportedRecord {
        if let fault = row.fault { throw RowError(fault) }
        guard row.cells.count == columns.count else {
            throw RowError("the row has \(row.cells.count) cells, and the first row \(columns.count)")
        }
        var record: JSONObject = [:]
        var values: JSONObject = [:]
        for (place, cell) in row.cells.enumerated() {
            guard let cell else { continue }
            let text = Self.unguarded(cell)
            if place == namePlace, !text.isEmpty { record["recordName"] = .string(text) }
            if let field = fields[place] {
                guard let value = try field.value(text) else { continue }
                guard values[field.name] == nil else {
                    throw RowError("'\(field.name)' has a value in two columns")
                }
                values[field.name] = value
            } else if place != namePlace {
                try take(text, at: place, &record)
            }
        }
        guard record["recordName"] != nil else { throw RowError("'\(columns[namePlace])' is empty") }
        record["fields"] = .object(values)
        return ExportedRecord(members: record)
    }

    private func take(_ text: String, at place: Int, _ record: inout JSONObject) throws(RowError) {
        switch columns[place] {
        case _ where text.isEmpty: break
        case "zoneID":
            guard let zone = try? JSONValue(parsing: Array(text.utf8)), zone["zoneName"]?.string != nil else {
                throw RowError("'zoneID' is no JSON with a zoneName: \(Field.shown(text))")
            }
            record["zoneID"] = zone
        case "parent": record["parent"] = ["recordName": .string(text)]
        default: throw RowError("cell \(place + 1) is in a column without a name: \(Field.shown(text))")
        }
    }

    /// Returns true for a column of a field whose type is not known.
    private func isUntyped(_ place: Int) -> Bool {
        fields[place] == nil && !["", "recordName", "zoneID", "parent"].contains(columns[place])
    }

    private static func unguarded(_ cell: String) -> String {
        runs(cell) && cell.utf8.first == guarding ? String(cell.unicodeScalars.dropFirst()) : cell
    }

    private static let sealed = "ENCRYPTED_"
    private static let (quote, comma, guarding) = (UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "'"))
    private static let types: Set<String> = [
        "STRING", "INT64", "DOUBLE", "TIMESTAMP", "REFERENCE", "LOCATION", "BYTES", "ASSETID",
    ]

    /// The field of a column that says its type; nil for other columns.
    private static func field(of column: String) -> Field? {
        let parts = column.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        let isSealed = parts[1].hasPrefix(sealed)
        let type = isSealed ? parts[1].dropFirst(sealed.count) : parts[1]
        guard types.contains(String(type.hasSuffix("_LIST") ? type.dropLast(5) : type)) else { return nil }
        return Field(name: String(parts[0]), type: String(type), isSealed: isSealed)
    }

    /// Indicates whether a spreadsheet may take a text for a formula, quotes before it left out.
    private static func runs(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first(where: { $0 != "'" }) else { return false }
        return "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(first)
    }

    /// Indicates whether a text is a number as exports have them, which spreadsheets may read as one.
    private static func isNumber(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        func skip(_ bytes: String) -> Bool {
            guard let first = rest.first, bytes.utf8.contains(first) else { return false }
            rest.removeFirst()
            return true
        }
        func skipDigits() -> Bool {
            let before = rest.count
            rest = rest.drop { $0 >= 0x30 && $0 <= 0x39 }
            return rest.count < before
        }
        _ = skip("-")
        guard skipDigits() else { return false }
        if skip(".") { guard skipDigits() else { return false } }
        if skip("eE") {
            _ = skip("+-")
            guard skipDigits() else { return false }
        }
        return rest.isEmpty
    }
}
