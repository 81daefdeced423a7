import CloudModel
import DeviceClient
import JSON
import RecordService

/// Writes records as CloudKit's record dictionaries.
struct RecordEncoding {
    /// The fields that the caller wants; nil is all.
    let desiredKeys: Set<FieldName>?
    /// Who reads: a share says what part the reader has in it, a stamp the reader's own devices.
    var viewer: UserRecordName?
    /// Stands for a device that is none of the reader's, and for none.
    static let someDevice = "2"
    private let fields: FieldJSON

    init(
        desiredKeys: Set<FieldName>? = nil, numbersAsStrings: Bool = false,
        assetURL: (@Sendable (Asset) -> String)? = nil
    ) {
        self.desiredKeys = desiredKeys
        fields = FieldJSON(numbersAsStrings: numbersAsStrings, assetURL: assetURL)
    }

    /// As the body of a request wants it: `desiredKeys` and `numbersAsStrings`; `APICall.recordEncoding` knows addresses of
    /// assets, too.
    init(_ body: JSONPath, assetURL: (@Sendable (Asset) -> String)? = nil) throws(CloudError) {
        self.init(
            desiredKeys: try RecordDecoding.desiredKeys(body),
            numbersAsStrings: try body["numbersAsStrings"]?.bool() ?? false, assetURL: assetURL)
    }

    /// What came of an operation or a lookup; an item of a request may want other fields than the rest.
    func result(_ result: RecordResult, desiredKeys item: Set<FieldName>? = nil) -> JSONValue {
        switch result {
        case .record(let record): return self.record(record, desiredKeys: item)
        case .deleted(let name): return ["recordName": .string(name.rawValue), "deleted": true]
        case .failed(let name, let error):
            var item: JSONObject = [:]
            if let name { item["recordName"] = .string(name.rawValue) }
            return .object(ErrorEncoding.item(error, into: item))
        }
    }

    /// One record.
    func record(_ record: Record, desiredKeys item: Set<FieldName>? = nil) -> JSONValue {
        var wanted = record.fields
        if let keys = item ?? desiredKeys {
            wanted = RecordFields(sorted: wanted.entries.filter { keys.contains($0.name) })
        }
        var json: JSONObject = [
            "recordName": .string(record.name.rawValue), "recordType": .string(record.type.rawValue),
            "recordChangeTag": .string(record.changeTag), "fields": fields.fields(wanted),
            "zoneID": FieldJSON.zone(record.zone), "created": stamp(record.created),
            "modified": stamp(record.modified), "deleted": false,
        ]
        if let parent = record.parent { json["parent"] = ["recordName": .string(parent.rawValue)] }
        if let share = record.share { json["share"] = ["recordName": .string(share.rawValue)] }
        if let share = record.shareDetails { ShareEncoding.add(share, of: record, viewer, to: &json) }
        return .object(json)
    }

    /// The device is told to those alone who wrote from it: others learn that there was one, as live CloudKit says it of the
    /// web (spec section 6).
    private func stamp(_ stamp: RecordStamp) -> JSONValue {
        let device = stamp.user == viewer ? stamp.device?.rawValue : nil
        return [
            "timestamp": .integer(stamp.timestamp.milliseconds), "userRecordName": .string(stamp.user.rawValue),
            "deviceID": .string(device ?? Self.someDevice),
        ]
    }
}
