package import CloudModel
package import JSON

/// Notifications as the device endpoints answer them (design section 9).
package struct NotificationJSON: Sendable {
    private let identifier: @Sendable (NotificationSubject) -> String
    private let payload: @Sendable (Notification) -> JSONValue?

    /// Writes with opaque IDs of a kind.
    /// - Parameters:
    ///   - identifier: the opaque form of a subject.
    ///   - payload: the push of a notification; nil for one that no push is made of.
    package init(
        identifier: @escaping @Sendable (NotificationSubject) -> String,
        payload: @escaping @Sendable (Notification) -> JSONValue?
    ) {
        self.identifier = identifier
        self.payload = payload
    }

    /// Writes a notification.
    package func json(_ notification: Notification) -> JSONValue {
        var json: JSONObject = ["notificationID": .string(identifier(notification.subject))]
        switch notification.content {
        case .read: json["notificationType"] = "readNotification"
        case .query(let content): Self.add(content, to: &json)
        case .omitted(let content): Self.add(content, to: &json)
        }
        json["changed"] = .integer(notification.changed.milliseconds)
        if let payload = payload(notification) { json["pushPayload"] = payload }
        return .object(json)
    }

    /// Reads a notification; the push payload, which tells nothing more, is left out.
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

    private static func add(_ content: Notification.QueryContent, to json: inout JSONObject) {
        json["notificationType"] = .string(kinds.first { $0.kind == content.kind }?.name ?? "")
        json["subscriptionID"] = .string(content.subscription.id.rawValue)
        json["subscriptionOwnerUserRecordName"] = .string(content.subscription.user.rawValue)
        if content.kind == .query {
            json["queryNotificationReason"] = .string(reason(content.reason))
            json["recordName"] = .string(content.recordName.rawValue)
            json["recordType"] = .string(content.recordType.rawValue)
            json["recordFields"] = FieldJSON().fields(content.fields)
        }
        json["zoneID"] = ZoneJSON.id(content.zone)
        json["databaseScope"] = .string(content.subscription.database.description)
        AppearanceJSON.add(content.appearance, to: &json, flags: .notification)
        if let badge = content.badge { json["badge"] = .integer(badge) }
        json["isPruned"] = false
        if content.isBackfilled { json["isBackfilled"] = true }
    }

    private static func add(_ content: Notification.OmittedContent, to json: inout JSONObject) {
        json["notificationType"] = "omitted"
        json["omittedCount"] = .integer(Int64(content.count))
        if let record = content.record {
            json["queryNotificationReason"] = .string(reason(content.reason))
            json["recordName"] = .string(record.name.rawValue)
            json["recordType"] = .string(record.type.rawValue)
        }
        json["zoneID"] = ZoneJSON.id(content.zone)
        json["databaseScope"] = .string(content.database.description)
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
        return content
    }

    private static func readOmitted(_ json: JSONPath) throws(CloudError) -> Notification.OmittedContent {
        let name = try json["recordName"]?.string()
        let type = try json["recordType"]?.string()
        var record: (RecordName, RecordType)?
        if let name, let type { record = (RecordName(trusted: name), RecordType(trusted: type)) }
        return Notification.OmittedContent(
            count: Int(try json.required("omittedCount").integer()), database: try readDatabase(json),
            reason: try json.member("queryNotificationReason", readReason) ?? .updated, record: record,
            zone: try ZoneJSON.readID(try json.required("zoneID")))
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

    /// CloudKit's names of the notifications' types (design section 9).
    private static let kinds: [(kind: Subscription.Kind, name: String)] = [
        (.query, "query"), (.zone, "recordZone"), (.database, "database"),
    ]

    private static let reasons: [(kind: Change.Kind, name: String)] = [
        (.created, "recordCreated"), (.updated, "recordUpdated"), (.deleted, "recordDeleted"),
    ]
}
