import CloudJSON
import CloudModel
import RecordService

/// Reads the body of `records/query` (docs/cloudkit.md#queries).
enum RecordQueryDecoding {
    static func query(_ body: JSONPath) throws(CloudError) -> RecordQuery {
        let query = try body.required("query")
        var request = RecordQuery(query: try QueryJSON.read(query), sorts: try QueryJSON.readSorts(query))
        request.zones = try zones(body)
        if let limit = try ResultsLimit.read(body, atMost: Limits.operationsMax) { request.limit = limit }
        request.marker = try body["continuationMarker"]?.string()
        request.valueBytesMax = try RecordDecoding.valueBytesMax(body)
        return request
    }

    /// `zoneWide` is ignored when there is a `zoneID`; without both it is the default zone.
    private static func zones(_ body: JSONPath) throws(CloudError) -> RecordQuery.Zones {
        let isZoneWide = try body["zoneWide"]?.bool() ?? false
        if isZoneWide, body["zoneID"] == nil { return .all }
        return .one(try ZoneDecoding.requestZone(body))
    }
}
