package import CloudModel
package import JSON

/// References as JSON (docs/cloudkit.md#dictionaries).
package enum ReferenceJSON {
    /// Writes a reference, its zone only where it has one.
    package static func reference(_ reference: Reference) -> JSONValue {
        var json: JSONObject = [
            "recordName": .string(reference.recordName.rawValue), "action": .string(reference.action.description),
        ]
        if let zone = reference.zone { json["zoneID"] = ZoneJSON.id(zone) }
        return .object(json)
    }

    /// Writes what names a record alone, as in `parent` and `share`.
    package static func name(_ name: RecordName) -> JSONValue { ["recordName": .string(name.rawValue)] }

    /// Reads a reference; without an `action` it is `NONE`.
    package static func read(_ json: JSONPath, isFilter: Bool) throws(CloudError) -> Reference {
        guard json.value.object != nil else {
            throw .badRequest("\(json.path) must be REFERENCE, an object with recordName, not \(json.value.kind)")
        }
        let name: RecordName = try json.required("recordName").identifier()
        let zone: ZoneID? =
            try json["zoneID"].map { zone throws(CloudError) in try ZoneJSON.reference(zone, isFilter: isFilter) }
            ?? nil
        guard let action = json["action"] else {
            return Reference(recordName: name, zone: zone, action: .none)
        }
        guard let known = Reference.Action(name: try action.string()) else {
            throw .badRequest("\(action.path) must be NONE, DELETE_SELF or VALIDATE")
        }
        return Reference(recordName: name, zone: zone, action: known)
    }

    /// Reads what names a record alone.
    package static func readName(_ json: JSONPath) throws(CloudError) -> RecordName {
        try json.object().required("recordName").identifier()
    }
}
