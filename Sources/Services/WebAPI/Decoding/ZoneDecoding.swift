import CloudJSON
import CloudModel

/// Reads what requests say of zones.
enum ZoneDecoding {
    /// The zone of a request: its `zoneID`, or the default one.
    static func requestZone(_ body: JSONPath) throws(CloudError) -> GivenZone {
        try body.member("zoneID", ZoneJSON.readGiven) ?? .default
    }

    /// The operations of `zones/modify`.
    static func operations(_ body: JSONPath) throws(CloudError) -> [ZoneOperation] {
        try body.required("operations").elements(ZoneOperationJSON.read)
    }

    /// The zones of `zones/lookup`: zone IDs, bare or as `zoneID` of an object.
    static func zones(_ body: JSONPath) throws(CloudError) -> [GivenZone] {
        try body.required("zones").elements { json throws(CloudError) in
            try ZoneJSON.readGiven(try json.object()["zoneID"] ?? json)
        }
    }
}
