package import CloudModel
package import JSON

/// Zones and their IDs as JSON (docs/cloudkit.md#dictionaries).
package enum ZoneJSON {
    /// Writes a zone's ID.
    package static func id(_ zone: ZoneID) -> JSONValue {
        [
            "zoneName": .string(zone.name.rawValue), "ownerRecordName": .string(zone.owner.rawValue),
            "zoneType": .string(type(of: zone)),
        ]
    }

    /// Writes a zone's ID.
    static func write(_ zone: ZoneID, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("zoneName", zone.name.rawValue)
        writer.member("ownerRecordName", zone.owner.rawValue)
        writer.member("zoneType", type(of: zone))
        writer.endObject()
    }

    private static func type(of zone: ZoneID) -> String {
        zone.name == .defaultZone ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE"
    }

    /// Writes a zone as a request names it.
    package static func given(_ zone: GivenZone) -> JSONValue {
        var json: JSONObject = ["zoneName": .string(zone.name.rawValue)]
        if let owner = zone.owner { json["ownerRecordName"] = .string(owner.rawValue) }
        return .object(json)
    }

    /// Writes a zone dictionary.
    package static func zone(_ zone: Zone) -> JSONValue {
        // The same for each reader of a zone: records of custom zones can be shared, and the zones themselves.
        let canBeShared = zone.id.name != .defaultZone
        var json: JSONObject = [
            "zoneID": id(zone.id), "atomic": .bool(zone.isAtomic),
            "isEligibleForZoneShare": .bool(canBeShared), "isEligibleForHierarchicalShare": .bool(canBeShared),
        ]
        if let token = zone.syncToken { json["syncToken"] = .string(token) }
        if zone.isDeleted { json["deleted"] = true }
        if let share = zone.share { json["share"] = ReferenceJSON.name(share) }
        return .object(json)
    }

    /// Reads a zone's ID that a service has written.
    package static func readID(_ json: JSONPath) throws(CloudError) -> ZoneID {
        let zone = try readGiven(json)
        return ZoneID(name: zone.name, owner: zone.owner ?? .defaultOwner)
    }

    /// Reads a zone as a request names it.
    package static func readGiven(_ json: JSONPath) throws(CloudError) -> GivenZone {
        let owner = try json.object().member("ownerRecordName", owner) ?? nil
        // Everybody's name in the public database, which clients send for themselves in the private one, too.
        return GivenZone(
            name: try json.required("zoneName").identifier(), owner: owner == .defaultOwner ? nil : owner)
    }

    /// Reads a zone dictionary.
    package static func readZone(_ json: JSONPath) throws(CloudError) -> Zone {
        Zone(
            id: try readID(try json.object().required("zoneID")), syncToken: try json["syncToken"]?.string(),
            isAtomic: try json["atomic"]?.bool() ?? false, isDeleted: try json["deleted"]?.bool() ?? false,
            share: try json.member("share", ReferenceJSON.readName))
    }

    /// Reads the zone of a reference: nil is the referring record's own. Without an owner its name decides, once the
    /// record's zone is known; in a filter, the default zone stands for any.
    static func reference(_ json: JSONPath, isFilter: Bool) throws(CloudError) -> ZoneID? {
        let name: ZoneName = try json.object().required("zoneName").identifier()
        if let owner = try json.member("ownerRecordName", owner) ?? nil { return ZoneID(name: name, owner: owner) }
        return isFilter && name == .defaultZone ? nil : ZoneID(name: name, owner: .defaultOwner)
    }

    /// The owner of a zone; nil for `__defaultOwner__`, CloudKit's name of the caller.
    private static func owner(_ json: JSONPath) throws(CloudError) -> UserRecordName? {
        switch try json.string() {
        case "__defaultOwner__": nil
        case UserRecordName.defaultOwner.rawValue: .defaultOwner
        default: try json.identifier()
        }
    }
}
