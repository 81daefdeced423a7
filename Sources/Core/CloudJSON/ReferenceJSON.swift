package import CloudModel
package import JSON

/// References as JSON (spec sections 5.3 and 8.4).
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

    /// Reads a reference; `action` may be left out in a filter only, which compares the record that is named.
    package static func read(_ json: JSONPath, isFilter: Bool) throws(CloudError) -> Reference {
        guard json.value.object != nil else {
            throw .badRequest("\(json.path) must be REFERENCE, an object with recordName, not \(json.value.kind)")
        }
        let name = try self.name(try json.required("recordName"), isFilter: isFilter)
        let zone: ZoneID? =
            try json["zoneID"].map { zone throws(CloudError) in try ZoneJSON.reference(zone, isFilter: isFilter) }
            ?? nil
        guard let action = json["action"] else {
            guard isFilter else { throw .badRequest("\(json.path) needs 'action': NONE, DELETE_SELF or VALIDATE") }
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

    /// A record's name; in a filter also a user's, as users are records too.
    private static func name(_ json: JSONPath, isFilter: Bool) throws(CloudError) -> RecordName {
        guard isFilter, try json.string().hasPrefix("_") else { return try json.identifier() }
        return RecordName(trusted: try json.identifier(UserRecordName.self).rawValue)
    }
}
