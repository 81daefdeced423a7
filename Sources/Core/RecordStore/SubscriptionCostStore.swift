package import CloudModel

/// What can be asked about the costs of subscriptions, which are kept beside them.
package protocol SubscriptionCostReader {
    /// What a user's subscriptions in a database cost together, as far as that was kept.
    func subscriptionCosts(of user: UserRecordName, in database: DatabaseScope) throws -> Int

    /// Those of them whose cost was not kept: they were saved by an older version.
    func subscriptionsWithoutCost(
        of user: UserRecordName, in database: DatabaseScope
    ) throws -> [StoredSubscription]
}

/// What can be changed about the costs of subscriptions.
package protocol SubscriptionCostTransaction: SubscriptionCostReader {
    /// Keeps what a subscription, which is there, costs. It goes with the subscription.
    func saveCost(_ cost: Int, of key: SubscriptionKey) throws
}
