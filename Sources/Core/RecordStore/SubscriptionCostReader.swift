package import CloudModel

/// Reads of subscriptions' costs, which are kept beside them.
package protocol SubscriptionCostReader {
    /// The cost of a user's subscriptions in a database together, as far as it was kept.
    func subscriptionCosts(of user: UserRecordName, in database: DatabaseScope) throws -> Int

    /// The subscriptions whose cost was not kept: they were saved by an older version.
    func subscriptionsWithoutCost(
        of user: UserRecordName, in database: DatabaseScope
    ) throws -> [StoredSubscription]
}

/// Writes of subscriptions' costs.
package protocol SubscriptionCostTransaction: SubscriptionCostReader {
    /// Sets the cost of a subscription that exists. It goes with the subscription.
    func saveCost(_ cost: Int, of key: SubscriptionKey) throws
}
