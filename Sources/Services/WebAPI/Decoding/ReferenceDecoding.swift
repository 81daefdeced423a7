import CloudModel
import JSON

/// Reads references (spec sections 5.3 and 8.4).
enum ReferenceDecoding {
    /// A record's name; in a filter also a user's, as users are records too.
    private static func name(_ json: JSONPath, isFilter: Bool) throws(CloudError) -> RecordName {
        guard isFilter, try json.string().hasPrefix("_") else { return try json.identifier() }
        return RecordName(trusted: try json.identifier(UserRecordName.self).rawValue)
    }

    /// A reference; `action` may be left out in a filter only, which compares the record that is named.
    static func reference(_ json: JSONPath, isFilter: Bool) throws(CloudError) -> Reference {
        guard json.value.object != nil else {
            throw .badRequest("\(json.path) must be REFERENCE, an object with recordName, not \(json.value.kind)")
        }
        let name = try self.name(try json.required("recordName"), isFilter: isFilter)
        let zone: ZoneID? =
            try json["zoneID"].map { zone throws(CloudError) in try ZoneDecoding.reference(zone, isFilter: isFilter) }
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
}
