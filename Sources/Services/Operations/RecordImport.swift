package import CloudModel
package import FanfareCloudKit
import JSON

/// Imports records from JSON lines, one object a line, in requests of many records each.
package struct RecordImport: Sendable {
    /// The rules by which lines become records.
    package struct Mapping: Sendable {
        /// The type of all records.
        package var recordType: RecordType
        /// The member whose value is the record's name.
        package var recordNameKey: String
        /// Members whose values name records of a type; they become references.
        package var references: [String: RecordType]

        package init(recordType: RecordType, recordNameKey: String, references: [String: RecordType] = [:]) {
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

    /// Saves every line; an existing record is overwritten, so that an import can be repeated.
    /// - Parameters:
    ///     - nextLine: the next line; nil after the last.
    ///     - progressed: called with the state after each request.
    package func run(
        _ nextLine: () throws -> ArraySlice<UInt8>?, progressed: (Progress) -> Void = { _ in }
    ) async throws -> Progress {
        var progress = Progress()
        var number = 0
        try await withThrowingTaskGroup(of: Progress.self) { group in
            var running = 0
            var operations: [RecordOperation] = []
            func take() async throws {
                guard let done = try await group.next() else { return }
                running -= 1
                progress.saved += done.saved
                progress.failed += done.failed
                progress.failures = Array((progress.failures + done.failures).prefix(10))
                progressed(progress)
            }
            func send() async throws {
                if running == pace.requestsMax { try await take() }
                let batch = operations
                operations = []
                running += 1
                group.addTask { try await save(batch) }
            }
            while let line = try nextLine() {
                number += 1
                guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x0d }) else { continue }
                operations.append(try operation(line, number))
                if operations.count == pace.recordsMax { try await send() }
            }
            if !operations.isEmpty { try await send() }
            while running > 0 { try await take() }
        }
        return progress
    }

    private func save(_ operations: [RecordOperation]) async throws -> Progress {
        var progress = Progress()
        for result in try await client.modify(operations, in: database) {
            if case .failed(let name, let error) = result {
                progress.failed += 1
                progress.failures.append("\(name?.rawValue ?? "?"): \(error)")
            } else {
                progress.saved += 1
            }
        }
        return progress
    }

    private func operation(_ line: ArraySlice<UInt8>, _ number: Int) throws -> RecordOperation {
        let object: JSONObject
        do {
            guard let members = try JSONValue(parsing: Array(line)).object else {
                throw ImportError("line \(number) is no JSON object")
            }
            object = members
        } catch let error as JSONError {
            throw ImportError("line \(number): \(error)")
        }
        guard let name = object[mapping.recordNameKey].flatMap(Self.name) else {
            throw ImportError("line \(number) has no '\(mapping.recordNameKey)' to name the record by")
        }
        var operation = RecordOperation(
            kind: .forceUpdate, recordName: RecordName(trusted: name), recordType: mapping.recordType)
        for (key, value) in object {
            if let field = try field(key, value, number) { operation.fields[FieldName(trusted: key)] = .some(field) }
        }
        return operation
    }

    /// The field of a member; nil for null, which is none. Types that JSON does not have are given explicitly.
    private func field(_ key: String, _ value: JSONValue, _ number: Int) throws -> GivenValue? {
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
