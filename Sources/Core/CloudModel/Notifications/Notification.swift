/// One notification as a device reads it.
package struct Notification: Hashable, Sendable {
    package var subject: NotificationSubject
    package var content: Content
    /// The commit time of the change.
    package var changed: Timestamp

    /// What happened.
    package enum Content: Hashable, Sendable {
        case query(QueryContent)
        /// The user marked the notification of this ID as read, on another device.
        case read
    }

    /// The details of a query subscription's notification.
    package struct QueryContent: Hashable, Sendable {
        package var subscription: SubscriptionKey
        package var reason: Change.Kind
        package var recordName: RecordName
        package var recordType: RecordType
        package var zone: ZoneID
        /// The fields that `additionalFields` asked for and the record has.
        package var fields: RecordFields
        package var alertBody: String?
        /// The badge of the reading device after this notification; nil when it does not change it.
        package var badge: Int64?

        package init(
            subscription: SubscriptionKey, reason: Change.Kind, recordName: RecordName, recordType: RecordType,
            zone: ZoneID, fields: RecordFields, alertBody: String?, badge: Int64?
        ) {
            self.subscription = subscription
            self.reason = reason
            self.recordName = recordName
            self.recordType = recordType
            self.zone = zone
            self.fields = fields
            self.alertBody = alertBody
            self.badge = badge
        }
    }

    package init(subject: NotificationSubject, content: Content, changed: Timestamp) {
        self.subject = subject
        self.content = content
        self.changed = changed
    }
}
