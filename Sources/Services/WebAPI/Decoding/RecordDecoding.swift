import CloudJSON
import CloudModel

/// Reads what requests say of records.
enum RecordDecoding {
    /// The operations of `records/modify`, on records of the request's zone.
    static func operations(_ body: JSONPath, in zone: RequestZone) throws(CloudError) -> [RecordOperation] {
        try body.required("operations").elements { json throws(CloudError) in
            let operation = try RecordOperationJSON.read(json)
            // Some clients give the zone beside the record.
            try zone.checkHolds(json)
            if let record = json["record"] { try zone.checkHolds(record) }
            return operation
        }
    }

    /// True if the client keeps the limits of CloudKit's framework, false for those of its web services.
    static func isFramework(_ body: JSONPath) throws(CloudError) -> Bool {
        guard let limits = body["limits"] else { return false }
        let name = try limits.string()
        guard name == "framework" || name == "webServices" else {
            throw .badRequest("\(limits.path) is '\(name)'; known limits are framework and webServices")
        }
        return name == "framework"
    }

    /// The names of `records/lookup`, of records of the request's zone.
    static func names(_ body: JSONPath, in zone: RequestZone) throws(CloudError) -> [RecordName] {
        try body.required("records").elements { json throws(CloudError) in
            try zone.checkHolds(json)
            return try ReferenceJSON.readName(json)
        }
    }

    /// The bytes of a value that the caller wants back at most; nil is all.
    static func valueBytesMax(_ json: JSONPath) throws(CloudError) -> Int? {
        guard let bytes = json["valueBytesMax"] else { return nil }
        return Int(clamping: try bytes.integer())
    }

    /// The fields that the caller wants back; nil is all.
    static func desiredKeys(_ json: JSONPath) throws(CloudError) -> Set<FieldName>? {
        guard let keys = json["desiredKeys"] else { return nil }
        var names: Set<FieldName> = []
        for key in try keys.elements(atMost: Limits.desiredKeysMax) { names.insert(try key.identifier()) }
        return names
    }
}
