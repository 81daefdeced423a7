package import CloudCalls
import CloudJSON
package import CloudModel
import JSON
import TextForms

/// Imports records in requests of many records each: from JSON lines, one object a line, with a mapping; from CSV;
/// or from what `RecordExport` and the console's pages write.
package struct RecordImport: Sendable {
    /// The rules by which lines become records.
    package struct Mapping: Sendable {
        /// The type of all records; nil for that of each line, which JSON lines of exports alone have.
        package var recordType: RecordType?
        /// The member or column whose value is the record's name; empty for exports.
        package var recordNameKey: String
        /// Members whose values name records of a type; they become references.
        package var references: [String: RecordType]
        /// The types of fields whose columns do not say them.
        package var fieldTypes: [String: FieldType]

        package init(
            recordType: RecordType?, recordNameKey: String, references: [String: RecordType] = [:],
            fieldTypes: [String: FieldType] = [:]
        ) {
            self.recordType = recordType
            self.recordNameKey = recordNameKey
            self.references = references
            self.fieldTypes = fieldTypes
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
        /// The first failures, each with its line.
        package var failures: [String] = []

        /// Adds a line whose record was not saved.
        mutating func fail(_ reason: String) {
            failed += 1
            failures.append(reason)
        }
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
    /// one of the file is sent again when that one is there. A line that cannot be read does not stop the others.
    /// - Parameters:
    ///     - nextLine: the next line; nil after the last.
    ///     - refused: called with the line and the reason of each record that was not saved.
    ///     - progressed: called with the state after each request.
    /// - Throws: `ImportError` if no line can be read: a first row without types, lines without a name for the record.
    package func run(
        _ nextLine: @escaping () throws -> ArraySlice<UInt8>?, refused: (String) -> Void = { _ in },
        progressed: (Progress) -> Void = { _ in }
    ) async throws -> Progress {
        var progress = Progress()
        var lines = try ImportedLines(mapping, nextLine)
        if !lines.untypedColumns.isEmpty { try await resolve(&lines) }
        func note(_ done: Progress) {
            progress.saved += done.saved
            progress.failed += done.failed
            progress.failures = Array((progress.failures + done.failures).prefix(10))
            done.failures.forEach(refused)
            progressed(progress)
        }
        var again = try await send({ try lines.next() }, isLast: false, note)
        while !again.isEmpty {
            var rest = again[...]
            let left = try await send({ rest.popFirst().map { .operation($0) } }, isLast: false, note)
            guard left.count == again.count else {
                again = left
                continue
            }
            rest = again[...]
            again = try await send({ rest.popFirst().map { .operation($0) } }, isLast: true, note)
        }
        return progress
    }

    /// Gives columns the types of the mapping, and of records of the type that are there: the schema of the service.
    private func resolve(_ lines: inout ImportedLines) async throws {
        var types = mapping.fieldTypes
        var hint = ""
        if lines.untypedColumns.contains(where: { types[$0] == nil }), let type = mapping.recordType {
            var body: JSONObject = [
                "query": ["recordType": .string(type.rawValue)], "resultsLimit": 200, "valueBytesMax": 64,
            ]
            if database != .public { body["zoneWide"] = true }
            do {
                let answer = try await client.patiently(database, "records/query", body)
                for record in answer["records"]?.array ?? [] {
                    for (name, field) in record["fields"]?.object ?? [:] where types[name] == nil {
                        let prefix = field["isEncrypted"]?.bool == true ? "ENCRYPTED_" : ""
                        guard let type = field["type"]?.string else { continue }
                        types[name] = FieldType(name: prefix + type) ?? FieldType(name: type)
                    }
                }
            } catch let error as FanfareError where error.code == .badRequest || error.code == .accessDenied {
                hint = " (\(error.reason))"
            }
        }
        try lines.resolve(types, hint)
    }

    /// Sends operations, zone by zone, several requests at once.
    /// - Parameters:
    ///   - isLast: true to count records that need others as failed.
    ///   - note: called with the outcome of each request, and of each line that cannot be read.
    /// - Returns: operations that need records that are not there yet.
    private func send(
        _ next: () throws -> ImportedLines.Line?, isLast: Bool, _ note: (Progress) -> Void
    ) async throws -> [ImportedOperation] {
        try await withThrowingTaskGroup(of: (Progress, [ImportedOperation]).self) { group in
            var again: [ImportedOperation] = []
            var running = 0
            var batches: [String: ImportBatch] = [:]
            func take() async throws {
                guard let (done, waiting) = try await group.next() else { return }
                running -= 1
                again += waiting
                note(done)
            }
            func send(_ batch: ImportBatch?) async throws {
                guard let batch, !batch.operations.isEmpty else { return }
                if running == pace.requestsMax { try await take() }
                running += 1
                group.addTask { try await save(batch.operations, isLast: isLast) }
            }
            while let line = try next() {
                guard case .operation(let operation) = line else {
                    if case .unreadable(let reason) = line { note(Progress(failed: 1, failures: [reason])) }
                    continue
                }
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
        let sent = try await ready(operations, &progress)
        guard !sent.isEmpty else { return (progress, []) }
        var body: JSONObject = ["operations": .array(sent.map(\.json)), "numbersAsStrings": true]
        if let zone = operations.first?.zoneID {
            body["zoneID"] = zone
            body["atomic"] = false
        }
        let answer = try await client.patiently(database, "records/modify", body)
        guard let items = answer["records"]?.array, items.count == sent.count else {
            throw ImportError("the answer has not as many records as the request")
        }
        for (item, (operation, _)) in zip(items, sent) {
            guard let code = item["serverErrorCode"]?.string else {
                progress.saved += 1
                continue
            }
            if !isLast, code == CloudErrorCode.validatingReferenceError.rawValue {
                again.append(operation)
            } else {
                progress.fail(operation.failure("\(code): \(item["reason"]?.string ?? "")"))
            }
        }
        return (progress, again)
    }

    /// The operations as a request has them, files sent before. One that the service would not read fails alone, as it
    /// would refuse the whole request.
    private func ready(
        _ operations: [ImportedOperation], _ progress: inout Progress
    ) async throws -> [(operation: ImportedOperation, json: JSONValue)] {
        var sent: [(operation: ImportedOperation, json: JSONValue)] = []
        for operation in operations {
            do {
                let json = try await withFiles(operation)
                _ = try RecordOperationJSON.read(JSONPath(json, areNumbersStrings: true))
                sent.append((operation, json))
            } catch let error as RowError {
                progress.fail(operation.failure(error.reason))
            } catch let error as CloudError {
                progress.fail(operation.failure("\(error.code.rawValue): \(error.reason)"))
            } catch let error as FanfareError
                where (400..<500).contains(error.status) && ![401, 403, 421, 429].contains(error.status)
            {
                progress.fail(operation.failure("\(error)"))
            }
        }
        return sent
    }

    /// The operation with receipts in place of the contents of files, which are sent before.
    private func withFiles(_ operation: ImportedOperation) async throws -> JSONValue {
        var record: ExportedRecord
        let isWhole: Bool
        switch operation.content {
        case .plain(let json): return json
        case .exported(let given, let replaces): (record, isWhole) = (given, replaces)
        }
        record.members["zoneID"] = nil
        let (name, type) = (record.name ?? "", record.members["recordType"]?.string ?? "")
        try await record.replaceFiles { field, file in
            guard let content = file["content"]?.string else { return file }
            guard let bytes = Base64.standard.decode(content) else {
                throw RowError("the content of '\(field)' is no base64")
            }
            let urls = try await client.patiently { try await client.uploads([(name, type, field)], in: database) }
            let asset = try await client.patiently { try await client.upload(bytes, to: urls[0]) }
            return [
                "fileChecksum": .string(asset.fileChecksum), "size": .integer(asset.size),
                "receipt": .string(asset.receipt ?? ""),
            ]
        }
        return ["operationType": isWhole ? "forceReplace" : "forceUpdate", "record": .object(record.members)]
    }
}
