import CloudJSON
import CloudModel

/// Reads what requests say of shares.
enum ShareDecoding {
    /// A short GUID of a request, with the requested fields of the share's root.
    struct ShortGUID {
        var value: String
        var wantsRoot: Bool
        /// The root's fields that are wanted; nil is all.
        var keys: Set<FieldName>?
    }

    /// The short GUIDs of `records/resolve` and `records/accept`.
    static func shortGUIDs(_ body: JSONPath) throws(CloudError) -> [ShortGUID] {
        try body.required("shortGUIDs").elements { json throws(CloudError) in
            let keys = try json.object()["rootRecordDesiredKeys"]?.identifiers(FieldName.self)
            return ShortGUID(
                value: try json.required("value").string(),
                wantsRoot: try json["shouldFetchRootRecord"]?.bool() ?? false, keys: keys.map { Set($0) })
        }
    }
}
