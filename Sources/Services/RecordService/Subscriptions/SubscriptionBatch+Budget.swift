import CloudModel
import Matching
import RecordStore

extension SubscriptionBatch {
    /// Checks that a new subscription fits into what its owner's may cost together: all of them run on the changes of
    /// others.
    /// - Returns: what it costs.
    func checkedCost(of subscription: Subscription) throws -> Int {
        for stored in try transaction.subscriptionsWithoutCost(of: user, in: database) {
            try transaction.saveCost(try stored.subscription().standingCost, of: stored.key)
        }
        let cost = subscription.standingCost
        let others = try transaction.subscriptionCosts(of: user, in: database)
        guard others + cost <= Limits.predicateCostOfUserMax else {
            throw CloudError(
                .quotaExceeded,
                "the subscriptions of a user in a database cost at most \(Limits.predicateCostOfUserMax) together; the "
                    + "others cost \(others) and this one \(cost): compare something for equality, look for longer texts, or "
                    + "delete some first")
        }
        return cost
    }
}
