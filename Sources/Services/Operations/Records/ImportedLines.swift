import CloudJSON
import CloudModel
import JSON

/// An operation of an import, with its place in requests.
struct ImportedOperation: Sendable {
    /// The parts of a request that come from a line.
    enum Content: Sendable {
        /// An operation as requests have it.
        case plain(JSONValue)
        /// A record of an export, which takes the place of one that is there.
        case exported(ExportedRecord)
    }

    var content: Content
    var name: String?
    /// The zone; nil for the default zone.
    var zoneID: JSONValue?
    /// The zone's name and owner as one text; empty for the default zone.
    var zone = ""
    /// The bytes of the line.
    var bytes: Int
}

/// Operations of one request.
struct ImportBatch: Sendable {
    /// Bytes of a request: a body has 32 MiB at most.
    static let bytesMax = 8 << 20

    private(set) var operations: [ImportedOperation] = []
    private(set) var bytes = 0

    mutating func add(_ operation: ImportedOperation) {
        operations.append(operation)
        bytes += operation.bytes
    }
}

/// The operations of a file's lines: of JSON lines, plain or of an export, or of CSV of an export.
struct ImportedLines {
    private let mapping: RecordImport.Mapping
    private var number = 0
    private var table: RecordTable?

    init(_ mapping: RecordImport.Mapping) { self.mapping = mapping }

    /// The next operation; nil after the last.
    /// - Parameter nextLine: the next line; nil after the last.
    mutating func next(_ nextLine: () throws -> ArraySlice<UInt8>?) throws -> ImportedOperation? {
        while let line = try row(nextLine) {
            guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) else { continue }
            do {
                if let table { return exported(try table.record(line), line) }
                let first = line.first { $0 != 0x20 }
                guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
                    table = try RecordTable(head: Array(line.trimmingPrefix([0xEF, 0xBB, 0xBF])))
                    continue
                }
                guard let object = try JSONValue(parsing: line).object else {
                    throw ImportError("line \(number) is no JSON object")
                }
                if let record = ExportedRecord(line: object) { return exported(record, line) }
                let operation = try operation(object)
                return ImportedOperation(
                    content: .plain(RecordOperationJSON.operation(operation)), name: operation.recordName?.rawValue,
                    bytes: line.count)
            } catch let error as JSONError {
                throw ImportError("line \(number): \(error)")
            }
        }
        return nil
    }

    /// The next line; of CSV with those that its quotes take in.
    private mutating func row(_ nextLine: () throws -> ArraySlice<UInt8>?) throws -> [UInt8]? {
        guard let line = try nextLine() else { return nil }
        number += 1
        var row = Array(line)
        guard table != nil else { return row }
        var isOpen = RecordTable.isOpen(row)
        while isOpen, let line = try nextLine() {
            number += 1
            row += [0x0A] + line
            if RecordTable.isOpen(line) { isOpen = false }
        }
        return row
    }

    private func exported(_ given: ExportedRecord, _ line: [UInt8]) -> ImportedOperation {
        var record = given
        if let type = mapping.recordType { record.members["recordType"] = .string(type.rawValue) }
        var operation = ImportedOperation(
            content: .exported(record), name: record.name, bytes: line.count)
        if let zoneID = record.members["zoneID"] {
            operation.zoneID = zoneID
            operation.zone = "\(zoneID["zoneName"]?.string ?? "")\n\(zoneID["ownerRecordName"]?.string ?? "")"
        }
        return operation
    }

    /// The operation of a plain line.
    private func operation(_ object: JSONObject) throws -> RecordOperation {
        guard let recordType = mapping.recordType, !mapping.recordNameKey.isEmpty else {
            throw ImportError("line \(number) is no line of an export: --type and --record-name say what it is")
        }
        guard let name = object[mapping.recordNameKey].flatMap(Self.name) else {
            throw ImportError("line \(number) has no '\(mapping.recordNameKey)' to name the record by")
        }
        var operation = RecordOperation(
            kind: .forceUpdate, recordName: RecordName(trusted: name), recordType: recordType)
        for (key, value) in object {
            if let field = try field(key, value) { operation.fields[FieldName(trusted: key)] = .some(field) }
        }
        return operation
    }

    /// The field of a member; nil for null, which is none. Types that JSON does not have are given explicitly.
    private func field(_ key: String, _ value: JSONValue) throws -> GivenValue? {
        if mapping.references[key] != nil {
            guard !value.isNull else { return nil }
            guard let name = Self.name(value) else {
                throw ImportError("line \(number): '\(key)' names no record: it is \(value.kind)")
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
        case .array, .object:
            throw ImportError("line \(number): '\(key)' is neither a text, a number nor a list of texts")
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
