import CloudModel
import DeviceClient
import JSON
import RecordService

/// Writes records as CloudKit's record dictionaries.
enum RecordEncoding {
    static func result(_ result: RecordResult, _ json: FieldJSON) -> JSONValue {
        switch result {
        case .record(let record): return self.record(record, json)
        case .deleted(let name): return ["recordName": .string(name.rawValue), "deleted": true]
        case .failed(let name, let error):
            var item: JSONObject = [:]
            if let name { item["recordName"] = .string(name.rawValue) }
            return .object(ErrorEncoding.item(error, into: item))
        }
    }

    static func record(_ record: Record, _ json: FieldJSON) -> JSONValue {
        [
            "recordName": .string(record.name.rawValue), "recordType": .string(record.type.rawValue),
            "recordChangeTag": .string(record.changeTag), "fields": json.fields(record.fields),
            "zoneID": FieldJSON.zone(record.zone), "created": stamp(record.created), "modified": stamp(record.modified),
            "deleted": false,
        ]
    }

    private static func stamp(_ stamp: RecordStamp) -> JSONValue {
        var json: JSONObject = [
            "timestamp": .integer(stamp.timestamp.milliseconds), "userRecordName": .string(stamp.user.rawValue),
        ]
        if let device = stamp.device { json["deviceID"] = .string(device.rawValue) }
        return .object(json)
    }
}
