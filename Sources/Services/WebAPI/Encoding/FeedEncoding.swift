import CloudJSON
import CloudModel
import JSON
import RecordService

/// Writes pages of change feeds.
enum FeedEncoding {
    /// Writes a page as a whole object.
    /// - Parameter namesZone: true where an answer has pages of several zones.
    static func write(
        _ page: ZoneFeedPage, namesZone: Bool = false, _ encoding: RecordEncoding, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.array("records", page.changes) { change, writer in
            switch change {
            case .saved(let record): encoding.write(record, to: &writer)
            case .deleted(let name, let type):
                writer.ownValue(RecordJSON.deleted(name, type: type, zone: page.zone))
            }
        }
        writer.member("syncToken", page.syncToken)
        writer.member("moreComing", page.moreComing)
        if namesZone { writer.ownMember("zoneID", ZoneJSON.id(page.zone)) }
        writer.endObject()
    }
}
