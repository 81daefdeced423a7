/// One notification as a device reads it.
package struct Notification: Hashable, Sendable {
    /// The user it is for and the change that caused it: its ID is made of them.
    package var subject: NotificationSubject
    /// What it tells.
    package var content: Content
    /// The commit time of the change.
    package var changed: Timestamp

    /// What happened.
    package enum Content: Hashable, Sendable {
        case query(QueryContent)
        /// The user marked the notification of this ID as read, on another device.
        case read
    }

    /// The details of a notification that a subscription made.
    package struct QueryContent: Hashable, Sendable {
        /// The kind of the subscription. Only a query's notification tells of the record; the others of the zone.
        package var kind = Subscription.Kind.query
        /// The subscription that fired.
        package var subscription: SubscriptionKey
        /// What happened to the record.
        package var reason: Change.Kind
        /// The name of the record that changed.
        package var recordName: RecordName
        /// The type of the record.
        package var recordType: RecordType
        /// The zone of the record.
        package var zone: ZoneID
        /// The fields that `additionalFields` asked for and the record has.
        package var fields: RecordFields
        /// The text to show; nil when the subscription has none.
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
