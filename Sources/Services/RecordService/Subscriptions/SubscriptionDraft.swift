package import CloudModel

/// A query subscription as a request gives it.
package struct SubscriptionDraft: Hashable, Sendable {
    /// Nil lets the server make an ID.
    package var id: SubscriptionID?
    /// The type of the records that are watched.
    package var recordType: RecordType
    /// What has to hold for them, before the schema has seen it.
    package var filters: [GivenFilter]
    /// Limits it to one zone.
    package var zone: ZoneName?
    /// The kinds of changes that it fires on.
    package var firesOn: FiringEvents
    /// Whether it ends with its first notification.
    package var firesOnce: Bool
    /// Nil when the request lacks it, which is refused.
    package var notificationInfo: NotificationInfo?

    package init(
        id: SubscriptionID?, recordType: RecordType, filters: [GivenFilter], zone: ZoneName?, firesOn: FiringEvents,
        firesOnce: Bool, notificationInfo: NotificationInfo?
    ) {
        self.id = id
        self.recordType = recordType
        self.filters = filters
        self.zone = zone
        self.firesOn = firesOn
        self.firesOnce = firesOnce
        self.notificationInfo = notificationInfo
    }
}
