package import CloudModel
package import JSON

/// Writes notifications as the device endpoints answer them (design section 9).
package struct NotificationJSON: Sendable {
    private let identifier: @Sendable (NotificationSubject) -> String
    private let payload: @Sendable (Notification) -> JSONValue?

    /// Writes with IDs and push payloads that others make.
    /// - Parameter payload: gives nil for a notification that no push is made of.
    package init(
        identifier: @escaping @Sendable (NotificationSubject) -> String,
        payload: @escaping @Sendable (Notification) -> JSONValue?
    ) {
        self.identifier = identifier
        self.payload = payload
    }

    /// Writes one notification.
    package func json(_ notification: Notification) -> JSONValue {
        var json: JSONObject = ["notificationID": .string(identifier(notification.subject))]
        switch notification.content {
        case .read: json["notificationType"] = "readNotification"
        case .query(let content):
            json["notificationType"] = .string(Self.type(content.kind))
            add(content, to: &json)
        case .omitted(let content):
            json["notificationType"] = "omitted"
            json["omittedCount"] = .integer(Int64(content.count))
            if let record = content.record {
                json["queryNotificationReason"] = .string(Self.reason(content.reason))
                json["recordName"] = .string(record.name.rawValue)
                json["recordType"] = .string(record.type.rawValue)
            }
            json["zoneID"] = FieldJSON.zone(content.zone)
            json["databaseScope"] = .string(content.database.description)
        }
        json["changed"] = .integer(notification.changed.milliseconds)
        if let payload = payload(notification) { json["pushPayload"] = payload }
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
        AppearanceJSON.add(content.appearance, to: &json, flags: AppearanceJSON.notificationFlags)
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
