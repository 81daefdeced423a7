package import CloudModel
package import JSON

/// Writes notifications as the device endpoints answer them (design section 9).
package struct NotificationJSON: Sendable {
    private let identifiers: NotificationIdentifiers

    /// Writes with IDs of this kind.
    package init(_ identifiers: NotificationIdentifiers) { self.identifiers = identifiers }

    /// One notification.
    package func json(_ notification: Notification) -> JSONValue {
        var json: JSONObject = ["notificationID": .string(identifiers.encode(notification.subject))]
        switch notification.content {
        case .read: json["notificationType"] = "readNotification"
        case .query(let content):
            json["notificationType"] = .string(Self.type(content.kind))
            add(content, to: &json)
        }
        json["changed"] = .integer(notification.changed.milliseconds)
        return .object(json)
    }

    private func add(_ content: Notification.QueryContent, to json: inout JSONObject) {
        json["subscriptionID"] = .string(content.subscription.id.rawValue)
        json["subscriptionOwnerUserRecordName"] = .string(content.subscription.user.rawValue)
        if content.kind == .query {
            json["queryNotificationReason"] = .string(Self.reason(content.reason))
            json["recordName"] = .string(content.recordName.rawValue)
            json["recordType"] = .string(content.recordType.rawValue)
            json["recordFields"] = FieldJSON().fields(content.fields)
        }
        json["zoneID"] = FieldJSON.zone(content.zone)
        json["databaseScope"] = .string(content.subscription.database.description)
        if let alertBody = content.alertBody { json["alertBody"] = .string(alertBody) }
        if let badge = content.badge { json["badge"] = .integer(badge) }
        json["isPruned"] = false
    }

    /// CloudKit's names of the notifications' types (design section 9).
    private static func type(_ kind: Subscription.Kind) -> String {
        switch kind {
        case .query: "query"
        case .zone: "recordZone"
        case .database: "database"
        }
    }

    private static func reason(_ kind: Change.Kind) -> String {
        switch kind {
        case .created: "recordCreated"
        case .updated: "recordUpdated"
        case .deleted: "recordDeleted"
        }
    }
}
