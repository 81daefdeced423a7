import CloudModel
import JSON
import RecordService

/// Reads zones (spec sections 5.3 and 5.8).
enum ZoneDecoding {
    /// The zone of a request: its `zoneID`, or the default one.
    static func requestZone(_ body: JSONPath) throws(CloudError) -> GivenZone {
        guard let zone = body["zoneID"] else { return .default }
        return try given(zone)
    }

    /// A zone as a request names it.
    static func given(_ json: JSONPath) throws(CloudError) -> GivenZone {
        GivenZone(name: try name(json), owner: try json["ownerRecordName"].map(owner) ?? nil)
    }

    /// A zone's name.
    static func name(_ json: JSONPath) throws(CloudError) -> ZoneName {
        try json.object().required("zoneName").identifier()
    }

    /// The operations of `zones/modify`.
    static func operations(_ body: JSONPath) throws(CloudError) -> [ZoneOperation] {
        var operations: [ZoneOperation] = []
        for json in try body.required("operations").elements() {
            let type = try json.object().required("operationType")
            guard let kind = ZoneOperation.Kind(rawValue: try type.string()) else {
                throw .badRequest("\(type.path) is '\(try type.string())'; known operations are create and delete")
            }
            let zone = try json.required("zone").object().required("zoneID")
            operations.append(ZoneOperation(kind: kind, zone: try given(zone)))
        }
        return operations
    }

    /// The zones of `zones/lookup`: zone IDs, bare or as `zoneID` of an object.
    static func zones(_ body: JSONPath) throws(CloudError) -> [GivenZone] {
        var zones: [GivenZone] = []
        for json in try body.required("zones").elements() {
            zones.append(try given(try json.object()["zoneID"] ?? json))
        }
        return zones
    }

    /// The zone of a reference: nil is the referring record's own. Without an owner its name decides, once the record's
    /// zone is known; in a filter, the default zone stands for any.
    static func reference(_ json: JSONPath, isFilter: Bool) throws(CloudError) -> ZoneID? {
        let given = try given(json)
        guard given.owner == nil else { return ZoneID(name: given.name, owner: given.owner!) }
        return isFilter && given.name == .defaultZone ? nil : ZoneID(name: given.name, owner: .defaultOwner)
    }

    /// The owner of a zone; nil for `__defaultOwner__`, which is CloudKit's name of whoever asks.
    private static func owner(_ json: JSONPath) throws(CloudError) -> UserRecordName? {
        switch try json.string() {
        case "__defaultOwner__": nil
        case UserRecordName.defaultOwner.rawValue: .defaultOwner
        default: try json.identifier()
        }
    }
}
