import CloudJSON
import CloudModel
import JSON
import RecordService

/// Writes pages of change feeds.
enum FeedEncoding {
    static func page(_ page: ZoneFeedPage, _ encoding: RecordEncoding) -> JSONObject {
        let records = page.changes.map { change -> JSONValue in
            switch change {
            case .saved(let record): encoding.record(record)
            case .deleted(let name, let type):
                RecordJSON.deleted(name, type: type, zone: page.zone)
            }
        }
        return [
            "records": .array(records), "syncToken": .string(page.syncToken), "moreComing": .bool(page.moreComing),
        ]
    }

    static func zone(_ zone: ZoneID) -> JSONValue { ZoneJSON.id(zone) }
}
