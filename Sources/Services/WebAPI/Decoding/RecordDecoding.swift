import CloudJSON
import CloudModel

/// Reads what requests say of records.
enum RecordDecoding {
    /// The operations of `records/modify`.
    static func operations(_ body: JSONPath) throws(CloudError) -> [RecordOperation] {
        try body.required("operations").elements(RecordOperationJSON.read)
    }

    /// The names of `records/lookup`.
    static func names(_ body: JSONPath) throws(CloudError) -> [RecordName] {
        try body.required("records").elements(ReferenceJSON.readName)
    }

    /// The fields that the caller wants back; nil is all.
    static func desiredKeys(_ json: JSONPath) throws(CloudError) -> Set<FieldName>? {
        guard let keys = json["desiredKeys"] else { return nil }
        var names: Set<FieldName> = []
        for key in try keys.elements(atMost: Limits.desiredKeysMax) { names.insert(try key.identifier()) }
        return names
    }
}
