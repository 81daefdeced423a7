import CloudJSON
import CloudModel
import RecordService

/// Reads requests for change feeds; members of the body are the defaults of its zones.
enum FeedDecoding {
    static func request(_ json: JSONPath, defaults: JSONPath) throws(CloudError) -> ZoneFeedRequest {
        let (limits, types) = (
            (try limit(json), try limit(defaults)), (try recordTypes(json), try recordTypes(defaults))
        )
        let bytes = (try RecordDecoding.valueBytesMax(json), try RecordDecoding.valueBytesMax(defaults))
        return ZoneFeedRequest(
            zone: try ZoneJSON.readGiven(try json.required("zoneID")), syncToken: try json["syncToken"]?.string(),
            limit: limits.0 ?? limits.1 ?? Limits.feedPageMax, recordTypes: types.0 ?? types.1,
            isReverse: try (json["reverse"] ?? defaults["reverse"])?.bool() ?? false,
            valueBytesMax: bytes.0 ?? bytes.1)
    }

    /// The form in which the records of a zone are written.
    static func encoding(
        _ json: JSONPath, defaults: JSONPath, viewer: UserRecordName?, seals: FieldSeals,
        assetURL: (@Sendable (Asset) -> String)?
    ) throws(CloudError) -> RecordEncoding {
        let keys = (try RecordDecoding.desiredKeys(json), try RecordDecoding.desiredKeys(defaults))
        var encoding = RecordEncoding(
            desiredKeys: keys.0 ?? keys.1,
            numbersAsStrings: try (json["numbersAsStrings"] ?? defaults["numbersAsStrings"])?.bool() ?? false,
            seals: seals, assetURL: assetURL)
        encoding.viewer = viewer
        return encoding
    }

    static func limit(_ json: JSONPath) throws(CloudError) -> Int? {
        try ResultsLimit.read(json, atMost: Limits.feedPageMax)
    }

    private static func recordTypes(_ json: JSONPath) throws(CloudError) -> [RecordType]? {
        guard let list = json["desiredRecordTypes"] else { return nil }
        var types: [RecordType] = []
        for element in try list.elements(atMost: Limits.desiredTypesMax) { types.append(try element.identifier()) }
        return types
    }
}
