import JSON

/// An operation of an import, with its place in requests.
struct ImportedOperation: Sendable {
    /// The parts of a request that come from a line.
    enum Content: Sendable {
        /// An operation as requests have it.
        case plain(JSONValue)
        /// A record of an export, which takes the place of one that is there; or the fields of one.
        case exported(ExportedRecord, isWhole: Bool)
    }

    var content: Content
    var name: String?
    /// The zone; nil for the default zone.
    var zoneID: JSONValue?
    /// The zone's name and owner as one text; empty for the default zone.
    var zone = ""
    /// The first line, from 1.
    var line: Int
    /// The bytes of the line.
    var bytes: Int

    /// The reason why its record was not saved, with its line.
    func failure(_ reason: String) -> String { "line \(line): \(name ?? "no name"): \(reason)" }
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
