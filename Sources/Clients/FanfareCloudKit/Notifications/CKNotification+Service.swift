import CloudJSON
import CloudModel
import Foundation

extension CKNotification {
    /// A notification of a feed.
    static func received(
        _ notification: ReceivedNotification, container: String, token: CKServerChangeToken?
    ) -> CKNotification {
        var content: Content
        switch notification.content {
        case .query(let query): content = self.content(query)
        case .omitted(let omitted):
            content = Content(type: .database)
            content.scope = CKDatabase.Scope(omitted.database)
            content.omittedCount = omitted.count
            content.isBackfilled = omitted.isBackfilled
            content.zoneID = zoneID(omitted.zone, in: omitted.database)
        case .read: content = Content(type: .readNotification)
        }
        content.id = notification.id
        content.container = container
        content.changed = Date(notification.changed)
        content.token = token
        return made(content)
    }

    private static func content(_ query: CloudModel.Notification.QueryContent) -> Content {
        let zone = zoneID(query.zone, in: query.subscription.database)
        var content = Content(type: .query)
        switch query.kind {
        case .query:
            content.recordID = CKRecord.ID(query.recordName, in: zone)
            content.reason = CKQueryNotification.Reason(rawValue: Int(query.reason.rawValue)) ?? .recordUpdated
            for entry in query.fields.entries {
                content.fields[entry.name.rawValue] = FieldContent(entry.value, in: zone) {
                    CKAsset(fileURL: nil, uploaded: $0)
                }
            }
        case .zone: content.type = .recordZone
        case .database: content.type = .database
        }
        content.zoneID = zone
        content.subscriptionID = query.subscription.id.rawValue
        content.owner = query.subscription.user.rawValue
        content.scope = CKDatabase.Scope(query.subscription.database)
        content.look = query.appearance
        content.badge = query.badge
        content.isBackfilled = query.isBackfilled
        content.changeCount = query.changeCount
        return content
    }

    static func zoneID(_ zone: ZoneID, in database: DatabaseScope) -> CKRecordZone.ID {
        RecordReader(scope: database, user: nil, files: URL(fileURLWithPath: "/")).zoneID(zone)
    }
}
