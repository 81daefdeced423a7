import CloudModel
import JSON
import RecordService

/// Reads what is asked of change feeds; members of the body are the defaults of its zones.
enum FeedDecoding {
    static func request(_ json: JSONPath, defaults: JSONPath) throws(CloudError) -> ZoneFeedRequest {
        ZoneFeedRequest(
            zone: try ZoneDecoding.given(try json.required("zoneID")), syncToken: try json["syncToken"]?.string(),
            limit: try limit(json) ?? limit(defaults) ?? Limits.feedPageMax,
            recordTypes: try recordTypes(json) ?? recordTypes(defaults),
            isReverse: try (json["reverse"] ?? defaults["reverse"])?.bool() ?? false)
    }

    /// How the records of a zone are written.
    static func encoding(_ json: JSONPath, defaults: JSONPath) throws(CloudError) -> RecordEncoding {
        RecordEncoding(
            desiredKeys: try RecordDecoding.desiredKeys(json) ?? RecordDecoding.desiredKeys(defaults),
            numbersAsStrings: try (json["numbersAsStrings"] ?? defaults["numbersAsStrings"])?.bool() ?? false)
    }

    static func limit(_ json: JSONPath) throws(CloudError) -> Int? {
        guard let limit = json["resultsLimit"] else { return nil }
        let number = try limit.integer()
        guard let small = Int(exactly: number), (1...Limits.feedPageMax).contains(small) else {
            throw .badRequest("\(limit.path) is 1 to \(Limits.feedPageMax), not \(number)")
        }
        return small
    }

    private static func recordTypes(_ json: JSONPath) throws(CloudError) -> [RecordType]? {
        guard let list = json["desiredRecordTypes"] else { return nil }
        var types: [RecordType] = []
        for element in try list.elements() { types.append(try element.identifier()) }
        return types
    }
}
