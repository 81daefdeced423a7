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

    /// A table without rows.
    init() {}

    /// The table of a first row.
    /// - Throws: `ImportError` if no column says its type.
    init(head line: [UInt8]) throws {
        columns = Self.cells(line).map { $0 ?? "" }
        guard columns.contains(where: { Self.field(of: $0) != nil }) || columns == ["recordName"] else {
            throw ImportError("line 1 is no JSON object, and no row of columns with their types, such as title:STRING")
        }
    }

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

    /// The record of a row.
    /// - Throws: `JSONError` if a cell of a list, place, reference or file is no JSON.
    func record(_ line: [UInt8]) throws -> ExportedRecord {
        var record: JSONObject = [:]
        var fields: JSONObject = [:]
        for (column, cell) in zip(columns, Self.cells(line)) {
            guard let cell else { continue }
            let text =
                Self.runs(cell) && cell.utf8.first == Self.guarding ? String(cell.unicodeScalars.dropFirst()) : cell
            switch (column, Self.field(of: column)) {
            case (_, let (name, type)?):
                let isSealed = type.hasPrefix(Self.sealed)
                let plain = isSealed ? String(type.dropFirst(Self.sealed.count)) : type
                let isJSON = ["REFERENCE", "LOCATION", "ASSETID"].contains(plain) || plain.hasSuffix("_LIST")
                var field: JSONObject = [
                    "value": isJSON ? try JSONValue(parsing: Array(text.utf8)) : .string(text), "type": .string(plain),
                ]
                if isSealed { field["isEncrypted"] = true }
                fields[name] = .object(field)
            case ("recordName", nil): record["recordName"] = .string(text)
            case ("zoneID", nil): record["zoneID"] = try JSONValue(parsing: Array(text.utf8))
            case ("parent", nil): record["parent"] = ["recordName": .string(text)]
            default: break
            }
        }
        record["fields"] = .object(fields)
        return ExportedRecord(members: record)
    }

    /// Indicates whether a line ends within quotes, so that the next one belongs to the same row.
    static func isOpen(_ line: some Sequence<UInt8>) -> Bool {
        !line.count { $0 == quote }.isMultiple(of: 2)
    }

    /// The cells of a row without its end; nil for an empty one without quotes.
    static func cells(_ line: [UInt8]) -> [String?] {
        var cells: [String?] = []
        var (cell, isQuoted, isOpen) = ([UInt8](), false, false)
        func take() {
            cells.append(cell.isEmpty && !isQuoted ? nil : String(decoding: cell, as: UTF8.self))
            (cell, isQuoted) = ([], false)
        }
        let end = line.last == 0x0D ? line.count - 1 : line.count
        var at = 0
        while at < end {
            let byte = line[at]
            at += 1
            switch byte {
            case quote where isOpen && at < end && line[at] == quote:
                cell.append(quote)
                at += 1
            case quote where isOpen || cell.isEmpty:
                isOpen.toggle()
                isQuoted = true
            case comma where !isOpen: take()
            default: cell.append(byte)
            }
        }
        take()
        return cells
    }

    private static let sealed = "ENCRYPTED_"
    private static let (quote, comma, guarding) = (UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "'"))
    private static let types: Set<String> = [
        "STRING", "INT64", "DOUBLE", "TIMESTAMP", "REFERENCE", "LOCATION", "BYTES", "ASSETID",
    ]

    /// The name and type of a field's column; nil for other columns.
    private static func field(of column: String) -> (name: String, type: String)? {
        let parts = column.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        var plain = parts[1].hasPrefix(sealed) ? parts[1].dropFirst(sealed.count) : parts[1]
        if plain.hasSuffix("_LIST") { plain = plain.dropLast(5) }
        return types.contains(String(plain)) ? (String(parts[0]), String(parts[1])) : nil
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
