import CloudModel
import JSON

/// Reads references (spec sections 5.3 and 8.4).
enum ReferenceDecoding {
    /// A reference; `action` may be left out in a filter only, which compares the record that is named.
    static func reference(_ json: JSONPath, isFilter: Bool) throws(CloudError) -> Reference {
        guard json.value.object != nil else {
            throw .badRequest("\(json.path) must be REFERENCE, an object with recordName, not \(json.value.kind)")
        }
        let name: RecordName = try json.required("recordName").identifier()
        let zone: ZoneID? =
            try json["zoneID"].map { zone throws(CloudError) in try ZoneDecoding.reference(zone) } ?? nil
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
