import CloudJSON
import CloudModel
import JSON

/// The operations of a file's lines: of JSON lines, plain or of an export, or of CSV.
struct ImportedLines {
    /// The content of a line.
    enum Line: Sendable {
        case operation(ImportedOperation)
        /// A line that cannot be read, with its number and the reason.
        case unreadable(String)
    }

    private let mapping: RecordImport.Mapping
    private let nextLine: () throws -> ArraySlice<UInt8>?
    private var number = 0
    private var table: RecordTable?
    /// The first line of JSON lines, until it is taken.
    private var first: [UInt8]?

    /// Reads the first line, which decides between CSV and JSON lines.
    /// - Parameter nextLine: the next line; nil after the last.
    /// - Throws: `ImportError` if a first row of CSV cannot be read.
    init(_ mapping: RecordImport.Mapping, _ nextLine: @escaping () throws -> ArraySlice<UInt8>?) throws {
        self.mapping = mapping
        self.nextLine = nextLine
        while let line = try take() {
            let line = number == 1 && line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
            guard !Self.isBlank(line) else { continue }
            let mark = line.first { $0 != 0x20 }
            if mark == UInt8(ascii: "{") || mark == UInt8(ascii: "[") {
                first = Array(line)
            } else {
                table = try RecordTable(head: try TableRow(line, next: { try take() }), mapping)
            }
            return
        }
    }

    /// The columns of CSV whose types nothing has said yet.
    var untypedColumns: [String] { table?.untypedColumns ?? [] }

    /// Gives columns the types of fields.
    /// - Throws: `ImportError` if a column has none after it.
    mutating func resolve(_ types: [String: FieldType], _ hint: String) throws { try table?.resolve(types, hint) }

    /// The next line that is not blank; nil after the last.
    mutating func next() throws -> Line? {
        while let line = try first.map({ $0[...] }) ?? take() {
            first = nil
            guard !Self.isBlank(line) else { continue }
            let start = number
            do {
                guard let table else { return .operation(try operation(line, start)) }
                let row = try TableRow(line, next: { try take() })
                let record = try table.record(row)
                return .operation(exported(record, isWhole: table.isOfExport, start, line.count))
            } catch let error as RowError {
                return .unreadable("line \(start): \(error.reason)")
            }
        }
        return nil
    }

    private mutating func take() throws -> ArraySlice<UInt8>? {
        guard let line = try nextLine() else { return nil }
        number += 1
        return line
    }

    private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool { line.allSatisfy { $0 == 0x20 || $0 == 0x0D } }

    // MARK: JSON lines

    private func operation(_ line: ArraySlice<UInt8>, _ number: Int) throws -> ImportedOperation {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: Array(line))
        } catch {
            throw RowError("is no JSON: \(error)")
        }
        guard let object = json.object else { throw RowError("is no JSON object") }
        if let record = ExportedRecord(line: object) { return exported(record, isWhole: true, number, line.count) }
        let operation = try operation(object, number)
        return ImportedOperation(
            content: .plain(RecordOperationJSON.operation(operation)), name: operation.recordName?.rawValue,
            line: number, bytes: line.count)
    }

    private func exported(
        _ given: ExportedRecord, isWhole: Bool, _ number: Int, _ bytes: Int
    ) -> ImportedOperation {
        var record = given
        if let type = mapping.recordType { record.members["recordType"] = .string(type.rawValue) }
        var operation = ImportedOperation(
            content: .exported(record, isWhole: isWhole), name: record.name, line: number, bytes: bytes)
        if let zoneID = record.members["zoneID"] {
            operation.zoneID = zoneID
            operation.zone = "\(zoneID["zoneName"]?.string ?? "")\n\(zoneID["ownerRecordName"]?.string ?? "")"
        }
        return operation
    }

    /// The operation of a plain line.
    private func operation(_ object: JSONObject, _ number: Int) throws -> RecordOperation {
        guard let recordType = mapping.recordType, !mapping.recordNameKey.isEmpty else {
            throw ImportError("line \(number) is no line of an export: --type and --record-name say what it is")
        }
        guard let name = object[mapping.recordNameKey].flatMap(Self.name) else {
            throw RowError("has no '\(mapping.recordNameKey)' to name the record by")
        }
        var operation = RecordOperation(
            kind: .forceUpdate, recordName: RecordName(trusted: name), recordType: recordType)
        for (key, value) in object {
            if let field = try field(key, value) { operation.fields[FieldName(trusted: key)] = .some(field) }
        }
        return operation
    }

    /// The field of a member; nil for null, which is none. Types that JSON does not have are given explicitly.
    private func field(_ key: String, _ value: JSONValue) throws(RowError) -> GivenValue? {
        if mapping.references[key] != nil {
            guard !value.isNull else { return nil }
            guard let name = Self.name(value) else {
                throw RowError("'\(key)' names no record: it is \(value.kind)")
            }
            let reference = Reference(recordName: RecordName(trusted: name), action: .none)
            return GivenValue(.reference(reference), isTypeExplicit: true)
        }
        switch value {
        case .null: return nil
        case .bool(let flag): return GivenValue(.int64(flag ? 1 : 0), isTypeExplicit: true)
        case .integer(let number): return GivenValue(.int64(number), isTypeExplicit: false)
        case .string(let text): return GivenValue(.string(text), isTypeExplicit: false)
        case .double(let number): return GivenValue(.double(number), isTypeExplicit: true)
        case .array(let elements) where elements.allSatisfy({ $0.string != nil }):
            return GivenValue(.stringList(elements.compactMap(\.string)), isTypeExplicit: true)
        case .array, .object: throw RowError("'\(key)' is neither a text, a number nor a list of texts")
        }
    }

    private static func name(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        default: nil
        }
    }
}

/// A line that cannot be read; others can.
struct RowError: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
