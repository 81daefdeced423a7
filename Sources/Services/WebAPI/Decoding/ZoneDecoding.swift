import CloudModel
import JSON

/// Reads zones. This version has the default zone only.
enum ZoneDecoding {
    /// The zone of a request, which must be the default one.
    /// - Throws: `ZONE_NOT_FOUND` for any other.
    static func requestZone(_ body: JSONPath) throws(CloudError) {
        guard let zone = body["zoneID"] else { return }
        let name = try name(zone)
        guard name == .defaultZone else { throw CloudError(.zoneNotFound, "there is no zone '\(name)'") }
    }

    /// A zone's name.
    static func name(_ json: JSONPath) throws(CloudError) -> ZoneName {
        try json.object().required("zoneName").identifier()
    }

    /// The zone of a reference: nil, the referring record's own, unless an owner is named.
    static func reference(_ json: JSONPath) throws(CloudError) -> ZoneID? {
        let name = try name(json)
        guard let owner = json["ownerRecordName"] else {
            guard name == .defaultZone else { throw CloudError(.zoneNotFound, "there is no zone '\(name)'") }
            return nil
        }
        let text = try owner.string()
        let user: UserRecordName =
            text == UserRecordName.defaultOwner.rawValue ? .defaultOwner : try owner.identifier()
        return ZoneID(name: name, owner: user)
    }
}
