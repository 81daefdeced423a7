package import CloudModel

/// A query subscription as a request gives it.
package struct SubscriptionDraft: Hashable, Sendable {
    /// Nil lets the server make an ID.
    package var id: SubscriptionID?
    /// What is watched, before the schema has seen it.
    package var query: GivenQuery
    /// Limits it to one zone.
    package var zone: ZoneName?
    /// The kinds of changes that it fires on.
    package var firesOn: FiringEvents
    /// Whether it ends with its first notification.
    package var firesOnce: Bool
    /// Nil when the request lacks it, which is refused.
    package var notificationInfo: NotificationInfo?

    package init(
        id: SubscriptionID?, query: GivenQuery, zone: ZoneName?, firesOn: FiringEvents, firesOnce: Bool,
        notificationInfo: NotificationInfo?
    ) {
        self.id = id
        self.query = query
        self.zone = zone
        self.firesOn = firesOn
        self.firesOnce = firesOnce
        self.notificationInfo = notificationInfo
    }
}
