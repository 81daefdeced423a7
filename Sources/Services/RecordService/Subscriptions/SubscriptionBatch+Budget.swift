import CloudModel
import Matching
import RecordStore

extension SubscriptionBatch {
    /// Checks that a new subscription fits into what its owner's may cost together: all of them run on the changes of
    /// others.
    /// - Returns: what it costs.
    func checkedCost(of subscription: Subscription) throws -> Int {
        let cost = subscription.standingCost
        let others = try standingSubscriptions().cost
        guard others + cost <= Limits.predicateCostOfUserMax else {
            throw CloudError.exceeded(
                ExceededLimit("predicateCostOfUserMax", Limits.predicateCostOfUserMax, of: .number),
                "the subscriptions of a user in a database cost at most \(Limits.predicateCostOfUserMax) together; the "
                    + "others cost \(others) and this one \(cost): compare something for equality, look for longer texts, or "
                    + "delete some first")
        }
        return cost
    }

    /// The totals of the user's subscriptions in the database, counted once for a request: counting them for each new
    /// one would be quadratic.
    func standingSubscriptions() throws -> StandingSubscriptions {
        if let standing { return standing }
        for stored in try transaction.subscriptionsWithoutCost(of: user, in: database) {
            try transaction.saveCost(try stored.subscription().standingCost, of: stored.key)
        }
        let counted = StandingSubscriptions(
            count: try transaction.subscriptionCount(of: user, in: database),
            bytes: try transaction.subscriptionBytes(of: user, in: database),
            cost: try transaction.subscriptionCosts(of: user, in: database))
        standing = counted
        return counted
    }
}

/// The number, the bytes and the cost of a user's subscriptions in a database.
struct StandingSubscriptions {
    var count: Int
    var bytes: Int
    var cost: Int

    mutating func add(bytes: Int, cost: Int) {
        count += 1
        self.bytes += bytes
        self.cost += cost
    }
}
