/// A persistent query of one user in one database: every later change that satisfies it becomes a notification.
package struct Subscription: Hashable, Sendable {
    /// What a subscription watches. Another condition needs another subscription; `notificationInfo` alone can change.
    package struct Condition: Hashable, Sendable {
        package var query: Query
        /// Limits the subscription to one zone; nil means every zone of the database.
        package var zone: ZoneName?
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

    package var key: SubscriptionKey
    package var condition: Condition
    package var notificationInfo: NotificationInfo

    package init(key: SubscriptionKey, condition: Condition, notificationInfo: NotificationInfo) {
        self.key = key
        self.condition = condition
        self.notificationInfo = notificationInfo
    }
}
