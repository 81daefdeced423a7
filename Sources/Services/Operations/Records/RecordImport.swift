package import CloudCalls
package import CloudModel
import JSON
import TextForms

/// Imports records in requests of many records each: from JSON lines, one object a line, with a mapping; or from what
/// `RecordExport` and the console's pages write.
package struct RecordImport: Sendable {
    /// The rules by which lines become records.
    package struct Mapping: Sendable {
        /// The type of all records; nil for that of each line, which exports alone have.
        package var recordType: RecordType?
        /// The member whose value is the record's name; empty for exports.
        package var recordNameKey: String
        /// Members whose values name records of a type; they become references.
        package var references: [String: RecordType]

        package init(recordType: RecordType?, recordNameKey: String, references: [String: RecordType] = [:]) {
            self.recordType = recordType
            self.recordNameKey = recordNameKey
            self.references = references
        }
    }

    /// The speed of an import.
    package struct Pace: Sendable {
        /// Requests under way at once.
        package var requestsMax: Int
        /// Records in a request.
        package var recordsMax: Int

        /// As fast as it goes.
        package static let full = Pace(requestsMax: 4, recordsMax: Limits.operationsMax)

        package init(requestsMax: Int, recordsMax: Int) {
            self.requestsMax = requestsMax
            self.recordsMax = recordsMax
        }
    }

    /// The state of an import.
    package struct Progress: Sendable, Equatable {
        /// Records that were saved.
        package var saved = 0
        /// Records that were not.
        package var failed = 0
        /// The first failures, in words.
        package var failures: [String] = []
    }

    private let client: CloudService
    private let database: DatabaseScope
    private let mapping: Mapping
    private let pace: Pace

    /// An import into a database of the client's user.
    package init(client: CloudService, database: DatabaseScope, mapping: Mapping, pace: Pace = .full) {
        self.pace = pace
        self.client = client
        self.database = database
        self.mapping = mapping
    }

    /// Saves every line; an existing record is overwritten, so that an import can be repeated. A record that needs another
    /// one of the file is sent again when that one is there.
    /// - Parameters:
    ///     - nextLine: the next line; nil after the last.
    ///     - progressed: called with the state after each request.
    package func run(
        _ nextLine: () throws -> ArraySlice<UInt8>?, progressed: (Progress) -> Void = { _ in }
    ) async throws -> Progress {
        var progress = Progress()
        var lines = ImportedLines(mapping)
        var again = try await send({ try lines.next(nextLine) }, isLast: false, &progress, progressed)
        while !again.isEmpty {
            var rest = again[...]
            let left = try await send({ rest.popFirst() }, isLast: false, &progress, progressed)
            guard left.count == again.count else {
                again = left
                continue
            }
            rest = again[...]
            again = try await send({ rest.popFirst() }, isLast: true, &progress, progressed)
        }
        return progress
    }

    /// Sends operations, zone by zone, several requests at once.
    /// - Parameter isLast: true to count records that need others as failed.
    /// - Returns: operations that need records that are not there yet.
    private func send(
        _ next: () throws -> ImportedOperation?, isLast: Bool, _ progress: inout Progress,
        _ progressed: (Progress) -> Void
    ) async throws -> [ImportedOperation] {
        try await withThrowingTaskGroup(of: (Progress, [ImportedOperation]).self) { group in
            var again: [ImportedOperation] = []
            var running = 0
            var batches: [String: ImportBatch] = [:]
            func take() async throws {
                guard let (done, waiting) = try await group.next() else { return }
                running -= 1
                again += waiting
                progress.saved += done.saved
                progress.failed += done.failed
                progress.failures = Array((progress.failures + done.failures).prefix(10))
                progressed(progress)
            }
            func send(_ batch: ImportBatch?) async throws {
                guard let batch, !batch.operations.isEmpty else { return }
                if running == pace.requestsMax { try await take() }
                running += 1
                group.addTask { try await save(batch.operations, isLast: isLast) }
            }
            while let operation = try next() {
                if let batch = batches[operation.zone], batch.bytes + operation.bytes > ImportBatch.bytesMax {
                    try await send(batches.removeValue(forKey: operation.zone))
                }
                batches[operation.zone, default: ImportBatch()].add(operation)
                if batches[operation.zone]?.operations.count == pace.recordsMax {
                    try await send(batches.removeValue(forKey: operation.zone))
                }
            }
            for zone in batches.keys.sorted() { try await send(batches[zone]) }
            while running > 0 { try await take() }
            return again
        }
    }

    private func save(
        _ operations: [ImportedOperation], isLast: Bool
    ) async throws -> (Progress, [ImportedOperation]) {
        var progress = Progress()
        var again: [ImportedOperation] = []
        var sent: [JSONValue] = []
        for operation in operations { sent.append(try await withFiles(operation)) }
        var body: JSONObject = ["operations": .array(sent), "numbersAsStrings": true]
        if let zone = operations.first?.zoneID {
            body["zoneID"] = zone
            body["atomic"] = false
        }
        let answer = try await client.patiently(database, "records/modify", body)
        guard let items = answer["records"]?.array, items.count == operations.count else {
            throw ImportError("the answer has not as many records as the request")
        }
        for (item, operation) in zip(items, operations) {
            guard let code = item["serverErrorCode"]?.string else {
                progress.saved += 1
                continue
            }
            if !isLast, code == CloudErrorCode.validatingReferenceError.rawValue {
                again.append(operation)
            } else {
                progress.failed += 1
                let name = item["recordName"]?.string ?? operation.name ?? "?"
                progress.failures.append("\(name): \(code): \(item["reason"]?.string ?? "")")
            }
        }
        return (progress, again)
    }

    /// The operation with receipts in place of the contents of files, which are sent before.
    private func withFiles(_ operation: ImportedOperation) async throws -> JSONValue {
        var record: ExportedRecord
        switch operation.content {
        case .plain(let json): return json
        case .exported(let given): record = given
        }
        record.members["zoneID"] = nil
        let (name, type) = (record.name ?? "", record.members["recordType"]?.string ?? "")
        try await record.replaceFiles { field, file in
            guard let content = file["content"]?.string else { return file }
            guard let bytes = Base64.standard.decode(content) else {
                throw ImportError("\(name): the content of '\(field)' is no base64")
            }
            let urls = try await client.uploads([(name, type, field)], in: database)
            let asset = try await client.upload(bytes, to: urls[0])
            return [
                "fileChecksum": .string(asset.fileChecksum), "size": .integer(asset.size),
                "receipt": .string(asset.receipt ?? ""),
            ]
        }
        return ["operationType": "forceReplace", "record": .object(record.members)]
    }
}
