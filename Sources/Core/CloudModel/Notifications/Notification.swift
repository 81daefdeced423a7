/// One notification as a device reads it.
package struct Notification: Hashable, Sendable {
    /// The user it is for and the change that caused it: its ID is made of them.
    package var subject: NotificationSubject
    package var content: Content
    /// The commit time of the change.
    package var changed: Timestamp
    /// The place in the trace of the request that made the change (W3C `traceparent`); nil where none is kept.
    package var traceparent: String?

    /// The event of a notification, by the kind of its subscription.
    package enum Content: Hashable, Sendable {
        case query(QueryContent)
        /// More subscriptions fired on the change than get a notification each.
        case omitted(OmittedContent)
        /// The user marked the notification of this ID as read, on another device.
        case read
    }

    /// Subscriptions fired that get no notification of their own: fetch the changes.
    package struct OmittedContent: Hashable, Sendable {
        /// The number of notifications left out.
        package var count: Int
        /// The database of the change.
        package var database: DatabaseScope
        /// The kind of the change.
        package var reason: Change.Kind
        /// The record that changed, and its type; nil when the zone itself was made or deleted.
        package var record: (name: RecordName, type: RecordType)? {
            recordName.flatMap { name in recordType.map { (name, $0) } }
        }
        private var recordName: RecordName?
        private var recordType: RecordType?
        /// The zone of the record.
        package var zone: ZoneID
        /// True if the rest of the backfills of `count` subscriptions is left out: from this change on up to their
        /// creation.
        package var isBackfilled = false

        package init(
            count: Int, database: DatabaseScope, reason: Change.Kind, record: (name: RecordName, type: RecordType)?,
            zone: ZoneID
        ) {
            self.count = count
            self.database = database
            self.reason = reason
            recordName = record?.name
            recordType = record?.type
            self.zone = zone
        }
    }

    /// The details of a notification that a subscription made.
    package struct QueryContent: Hashable, Sendable {
        /// The kind of the subscription. Only a query's notification has the record; the others have the zone.
        package var kind = Subscription.Kind.query
        /// The subscription that fired.
        package var subscription: SubscriptionKey
        /// The kind of the change.
        package var reason: Change.Kind
        /// The name of the record that changed.
        package var recordName: RecordName
        /// The type of the record.
        package var recordType: RecordType
        /// The zone of the record.
        package var zone: ZoneID
        /// The fields that `additionalFields` asked for and the record has.
        package var fields: RecordFields
        /// The look of the notification.
        package var appearance: Appearance<String>
        /// The badge of the reading device after this notification; nil when it does not change it.
        package var badge: Int64?
        /// True if the change was committed before the subscription was created.
        package var isBackfilled = false
        /// The number of changes that it stands for by a delivery policy, of which it shows the last one.
        package var changeCount = 1

        package init(
            subscription: SubscriptionKey, reason: Change.Kind, recordName: RecordName, recordType: RecordType,
            zone: ZoneID, fields: RecordFields, appearance: Appearance<String>, badge: Int64?
        ) {
            self.subscription = subscription
            self.reason = reason
            self.recordName = recordName
            self.recordType = recordType
            self.zone = zone
            self.fields = fields
            self.appearance = appearance
            self.badge = badge
        }
    }

    package init(subject: NotificationSubject, content: Content, changed: Timestamp) {
        self.subject = subject
        self.content = content
        self.changed = changed
    }
}
