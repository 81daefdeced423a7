import CloudModel
import JSON
import RecordService

/// Reads the operations of `records/modify`.
enum RecordDecoding {
    static func operations(_ body: JSONPath) throws(CloudError) -> [RecordOperation] {
        var operations: [RecordOperation] = []
        for operation in try body.required("operations").elements() { operations.append(try self.operation(operation)) }
        return operations
    }

    /// The names of `records/lookup`.
    static func names(_ body: JSONPath) throws(CloudError) -> [RecordName] {
        var names: [RecordName] = []
        for record in try body.required("records").elements() {
            names.append(try record.object().required("recordName").identifier())
        }
        return names
    }

    /// The fields that the caller wants back; nil is all.
    static func desiredKeys(_ json: JSONPath) throws(CloudError) -> Set<FieldName>? {
        guard let keys = json["desiredKeys"] else { return nil }
        var names: Set<FieldName> = []
        for key in try keys.elements(atMost: Limits.desiredKeysMax) { names.insert(try key.identifier()) }
        return names
    }

    private static func operation(_ json: JSONPath) throws(CloudError) -> RecordOperation {
        let type = try json.object().required("operationType")
        guard let kind = RecordOperation.Kind(rawValue: try type.string()) else {
            let known = RecordOperation.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest("\(type.path) is '\(try type.string())'; known operations are \(known)")
        }
        let record = try json.required("record").object()
        var operation = RecordOperation(kind: kind, recordName: nil)
        if let name = record["recordName"] { operation.recordName = try name.identifier() }
        if let type = record["recordType"] { operation.recordType = try type.identifier() }
        if let tag = record["recordChangeTag"] { operation.changeTag = try tag.string() }
        if record.value["parent"] != nil {
            operation.parent = .some(
                try record["parent"].map { parent throws(CloudError) in
                    try parent.object().required("recordName").identifier()
                })
        }
        if let share = record["share"] { operation.shareName = try share.object().required("recordName").identifier() }
        if operation.recordType == .share { operation.share = try ShareDecoding.share(record) }
        for (name, value) in try record["fields"]?.members() ?? [] {
            let field: FieldName
            do {
                field = try FieldName(name)
            } catch {
                throw .badRequest("\(value.path): \(error.reason)")
            }
            operation.fields[field] = .some(try FieldDecoding.field(value))
        }
        return operation
    }
}
