/// The policies that a user chose for a device.
package struct DevicePolicies: Hashable, Sendable {
    /// The policy of one subscription.
    package struct Chosen: Hashable, Sendable {
        package var database: DatabaseScope
        package var subscription: SubscriptionID
        package var policy: DeliveryPolicy

        package init(database: DatabaseScope, subscription: SubscriptionID, policy: DeliveryPolicy) {
            self.database = database
            self.subscription = subscription
            self.policy = policy
        }
    }

    package var clock: DeviceClock
    /// For all subscriptions that are not in `chosen`; nil leaves them their own.
    package var general: DeliveryPolicy?
    package var chosen: [Chosen]

    package init(clock: DeviceClock = DeviceClock(), general: DeliveryPolicy? = nil, chosen: [Chosen] = []) {
        self.clock = clock
        self.general = general
        self.chosen = chosen
    }
}
