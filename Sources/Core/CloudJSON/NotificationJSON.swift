package import CloudModel
package import JSON

/// Notifications as the device endpoints answer them (docs/http-api.md), written straight into bytes: they are most of
/// the service's output.
package struct NotificationJSON: Sendable {
    /// Writes the value of a notification's member `pushPayload`, with the notification's ID.
    package typealias Payload = @Sendable (Notification, _ id: String, inout JSONWriter) -> Void

    private let identifier: @Sendable (NotificationSubject) -> String
    private let payload: Payload?

    /// Writes with opaque IDs of a kind.
    /// - Parameters:
    ///   - identifier: the opaque form of a subject.
    ///   - payload: the push of a notification that a subscription made; of others no push is made. Nil leaves it out.
    package init(identifier: @escaping @Sendable (NotificationSubject) -> String, payload: Payload?) {
        self.identifier = identifier
        self.payload = payload
    }

    /// Writes a notification.
    package func write(_ notification: Notification, to writer: inout JSONWriter) {
        let id = identifier(notification.subject)
        writer.beginObject()
        writer.member("notificationID", id)
        switch notification.content {
        case .read: writer.member("notificationType", "readNotification")
        case .query(let content): Self.add(content, to: &writer)
        case .omitted(let content): Self.add(content, to: &writer)
        }
        writer.member("changed", notification.changed.milliseconds)
        if let payload, case .query = notification.content {
            writer.key("pushPayload")
            payload(notification, id, &writer)
        }
        writer.endObject()
    }

    /// The notification as a text.
    package func bytes(_ notification: Notification) -> [UInt8] {
        var writer = JSONWriter(capacityBytes: 1 << 10)
        write(notification, to: &writer)
        return writer.takeBytes()
    }

    /// Reads a notification; the push payload, which adds nothing, is left out.
    package static func read(_ json: JSONPath) throws(CloudError) -> ReceivedNotification {
        let type = try json.object().required("notificationType").string()
        let content: Notification.Content
        switch type {
        case "readNotification": content = .read
        case "omitted": content = .omitted(try readOmitted(json))
        default:
            guard let kind = kinds.first(where: { $0.name == type })?.kind else {
                throw .badRequest("\(json.path)notificationType '\(type)' is not known")
            }
            content = .query(try readQuery(json, kind))
        }
        return ReceivedNotification(
            id: try json.required("notificationID").string(), content: content,
            changed: Timestamp(milliseconds: try json.required("changed").integer()))
    }

    private static func add(_ content: Notification.QueryContent, to writer: inout JSONWriter) {
        writer.member("notificationType", kinds.first { $0.kind == content.kind }?.name ?? "")
        writer.member("subscriptionID", content.subscription.id.rawValue)
        writer.member("subscriptionOwnerUserRecordName", content.subscription.user.rawValue)
        if content.kind == .query {
            writer.member("queryNotificationReason", reason(content.reason))
            writer.member("recordName", content.recordName.rawValue)
            writer.member("recordType", content.recordType.rawValue)
            writer.key("recordFields")
            FieldJSON().write(content.fields, to: &writer)
        }
        writer.key("zoneID")
        ZoneJSON.write(content.zone, to: &writer)
        writer.member("databaseScope", content.subscription.database.description)
        AppearanceJSON.add(content.appearance, to: &writer, flags: .notification)
        if let badge = content.badge { writer.member("badge", badge) }
        writer.member("isPruned", false)
        if content.isBackfilled { writer.member("isBackfilled", true) }
        if content.changeCount > 1 { writer.member("changeCount", content.changeCount) }
    }

    private static func add(_ content: Notification.OmittedContent, to writer: inout JSONWriter) {
        writer.member("notificationType", "omitted")
        writer.member("omittedCount", content.count)
        if content.isBackfilled { writer.member("isBackfilled", true) }
        if let record = content.record {
            writer.member("queryNotificationReason", reason(content.reason))
            writer.member("recordName", record.name.rawValue)
            writer.member("recordType", record.type.rawValue)
        }
        writer.key("zoneID")
        ZoneJSON.write(content.zone, to: &writer)
        writer.member("databaseScope", content.database.description)
    }

    private static func readQuery(
        _ json: JSONPath, _ kind: Subscription.Kind
    ) throws(CloudError) -> Notification.QueryContent {
        var content = Notification.QueryContent(
            subscription: SubscriptionKey(
                user: try json.required("subscriptionOwnerUserRecordName").identifier(),
                database: try readDatabase(json), id: try json.required("subscriptionID").identifier()),
            reason: try json.member("queryNotificationReason", readReason) ?? .updated,
            recordName: RecordName(trusted: try json["recordName"]?.string() ?? ""),
            recordType: RecordType(trusted: try json["recordType"]?.string() ?? ""),
            zone: try ZoneJSON.readID(try json.required("zoneID")),
            fields: try json.member("recordFields", FieldJSON.readFields) ?? RecordFields(),
            appearance: try AppearanceJSON.read(json, flags: .notification) { text throws(CloudError) in
                try text.string()
            },
            badge: try json["badge"]?.integer())
        content.kind = kind
        content.isBackfilled = try json["isBackfilled"]?.bool() ?? false
        content.changeCount = Int(clamping: max(1, try json["changeCount"]?.integer() ?? 1))
        return content
    }

    private static func readOmitted(_ json: JSONPath) throws(CloudError) -> Notification.OmittedContent {
        let name = try json["recordName"]?.string()
        let type = try json["recordType"]?.string()
        var record: (RecordName, RecordType)?
        if let name, let type { record = (RecordName(trusted: name), RecordType(trusted: type)) }
        var content = Notification.OmittedContent(
            count: Int(try json.required("omittedCount").integer()), database: try readDatabase(json),
            reason: try json.member("queryNotificationReason", readReason) ?? .updated, record: record,
            zone: try ZoneJSON.readID(try json.required("zoneID")))
        content.isBackfilled = try json["isBackfilled"]?.bool() ?? false
        return content
    }

    private static func readDatabase(_ json: JSONPath) throws(CloudError) -> DatabaseScope {
        let name = try json.required("databaseScope").string()
        guard let database = DatabaseScope(name) else { throw .badRequest("databaseScope '\(name)' is not known") }
        return database
    }

    private static func readReason(_ json: JSONPath) throws(CloudError) -> Change.Kind {
        guard let reason = reasons.first(where: { .string($0.name) == json.value })?.kind else {
            throw json.wrong("recordCreated, recordUpdated or recordDeleted")
        }
        return reason
    }

    private static func reason(_ kind: Change.Kind) -> String { reasons.first { $0.kind == kind }?.name ?? "" }

    /// CloudKit's names of the notifications' types (docs/http-api.md).
    private static let kinds: [(kind: Subscription.Kind, name: String)] = [
        (.query, "query"), (.zone, "recordZone"), (.database, "database"),
    ]

    private static let reasons: [(kind: Change.Kind, name: String)] = [
        (.created, "recordCreated"), (.updated, "recordUpdated"), (.deleted, "recordDeleted"),
    ]
}
