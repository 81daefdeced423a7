/// A persistent query of one user in one database: every later change that satisfies it becomes a notification.
package struct Subscription: Hashable, Sendable {
    /// What a subscription watches. Another condition needs another subscription; `notificationInfo` alone can change.
    package struct Condition: Hashable, Sendable {
        /// What a record has to satisfy.
        package var query: Query
        /// Limits the subscription to one zone; nil means every zone of the database.
        package var zone: ZoneName?
        /// The kinds of changes that it fires on.
        package var firesOn: FiringEvents
        /// Whether the subscription ends with its first notification.
        package var firesOnce: Bool

        package init(query: Query, zone: ZoneName?, firesOn: FiringEvents, firesOnce: Bool) {
            self.query = query
            self.zone = zone
            self.firesOn = firesOn
            self.firesOnce = firesOnce
        }
    }

    /// What tells it from all others.
    package var key: SubscriptionKey
    /// What it watches.
    package var condition: Condition
    /// What its notifications carry.
    package var notificationInfo: NotificationInfo

    package init(key: SubscriptionKey, condition: Condition, notificationInfo: NotificationInfo) {
        self.key = key
        self.condition = condition
        self.notificationInfo = notificationInfo
    }
}
