package import CloudModel

extension QueryNotification {
    /// Returns true if it notifies the user of a change for a subscription, or stands for it.
    package func standsFor(_ change: CommitSequence, of key: SubscriptionKey) -> Bool {
        database == key.database.rawValue && subscription == key.id.rawValue
            && (self.change == change.rawValue || covered.contains(change.rawValue))
    }
}
