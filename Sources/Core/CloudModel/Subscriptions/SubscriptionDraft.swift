/// A subscription as a request gives it.
package struct SubscriptionDraft: Hashable, Sendable {
    /// The ID; nil lets the server make one.
    package var id: SubscriptionID?
    /// One of the three kinds.
    package var kind: Subscription.Kind
    /// The query of a query subscription, before the schema has seen it; nil for the other kinds.
    package var query: GivenQuery?
    /// The one type that a zone or database subscription is restricted to.
    package var recordType: RecordType?
    /// Limits a query subscription to one zone; what a zone subscription watches.
    package var zone: GivenZone?
    /// The kinds of changes that a query subscription fires on.
    package var firesOn: FiringEvents
    /// True if a query subscription ends with its first notification.
    package var firesOnce: Bool
    /// The fields one of which an update has to change for a query subscription to fire; empty means any.
    package var changedKeys: [FieldName]
    /// The notification; nil when the request lacks it, which is refused.
    package var notificationInfo: NotificationInfo?
    /// The place in the past that a new one begins from; an update leaves it as it is.
    package var startingFrom = StartingFrom.now

    /// A query subscription.
    package init(
        id: SubscriptionID?, query: GivenQuery, zone: GivenZone?, firesOn: FiringEvents, firesOnce: Bool,
        changedKeys: [FieldName] = [], notificationInfo: NotificationInfo?
    ) {
        self.id = id
        kind = .query
        self.query = query
        self.zone = zone
        self.firesOn = firesOn
        self.firesOnce = firesOnce
        self.changedKeys = changedKeys
        self.notificationInfo = notificationInfo
    }

    private init(
        _ kind: Subscription.Kind, _ id: SubscriptionID?, _ zone: GivenZone?, _ recordType: RecordType?,
        _ notificationInfo: NotificationInfo?
    ) {
        self.id = id
        self.kind = kind
        self.zone = zone
        self.recordType = recordType
        firesOn = []
        firesOnce = false
        changedKeys = []
        self.notificationInfo = notificationInfo
    }

    /// A zone subscription.
    package static func zone(
        id: SubscriptionID?, zone: GivenZone?, recordType: RecordType? = nil, notificationInfo: NotificationInfo?
    ) -> SubscriptionDraft { SubscriptionDraft(.zone, id, zone, recordType, notificationInfo) }

    /// A database subscription.
    package static func database(
        id: SubscriptionID?, recordType: RecordType? = nil, notificationInfo: NotificationInfo?
    ) -> SubscriptionDraft { SubscriptionDraft(.database, id, nil, recordType, notificationInfo) }
}
