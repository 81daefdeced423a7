package import CloudModel
package import JSON

/// Operations on records as JSON: the entries of `records/modify`.
package enum RecordOperationJSON {
    /// Writes an operation; fields in the order of their names.
    package static func operation(_ operation: RecordOperation) -> JSONValue {
        var record: JSONObject = [:]
        if let name = operation.recordName { record["recordName"] = .string(name.rawValue) }
        if let type = operation.recordType { record["recordType"] = .string(type.rawValue) }
        if let tag = operation.changeTag { record["recordChangeTag"] = .string(tag) }
        if let parent = operation.parent { record["parent"] = parent.map(ReferenceJSON.name) ?? .null }
        if let share = operation.shareName { record["share"] = ReferenceJSON.name(share) }
        if let share = operation.share { ShareJSON.add(share, to: &record) }
        if !operation.fields.isEmpty {
            let writer = FieldJSON(receipts: true)
            var fields: JSONObject = [:]
            for (name, value) in operation.fields.sorted(by: { $0.key < $1.key }) {
                fields[name.rawValue] = value.map(writer.given) ?? ["value": .null]
            }
            record["fields"] = .object(fields)
        }
        return ["operationType": .string(operation.kind.rawValue), "record": .object(record)]
    }

    /// Reads an operation.
    package static func read(_ json: JSONPath) throws(CloudError) -> RecordOperation {
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
            operation.parent = .some(try record.member("parent", ReferenceJSON.readName))
        }
        operation.shareName = try record.member("share", ReferenceJSON.readName)
        if operation.recordType == .share { operation.share = try ShareJSON.readGiven(record) }
        operation.zonedLinks = try zonedLinks(record)
        for (name, value) in try record["fields"]?.members() ?? [] {
            let field: FieldName
            do {
                field = try FieldName(name)
            } catch {
                throw .badRequest("\(value.path): \(error.reason)")
            }
            operation.fields[field] = .some(try FieldJSON.readField(value))
        }
        return operation
    }

    private static func zonedLinks(_ record: JSONPath) throws(CloudError) -> [Reference] {
        var links: [Reference] = []
        for member in ["parent", "share", "forRecord"] {
            guard let link = record[member], let json = link["zoneID"] else { continue }
            let zone = try ZoneJSON.reference(json, isFilter: false)
            links.append(Reference(recordName: try ReferenceJSON.readName(link), zone: zone, action: .none))
        }
        return links
    }
}
