package import CloudModel

/// The plan of a load run.
package struct LoadPlan: Sendable {
    /// The name of the scenario, for reports.
    package var name = "steady"
    /// The rates at which records are saved, one after the other.
    package var phases: [LoadPhase]
    /// Users, each with a subscription.
    package var subscribers: Int
    /// Devices of each of them, which follow their feeds.
    package var devices = 1
    /// Indicates whether every subscription selects every record; otherwise each record is for one subscriber.
    package var isForAll = false
    /// Subscriptions that are saved and deleted again, a second, while records are saved.
    package var churn = 0.0
    /// Devices that are registered afterwards, and replay the whole history.
    package var herd = 0
    /// The user that saves the records.
    package var user: String
    /// The database that records are saved in.
    package var database: DatabaseScope
    /// The time to wait for notifications after the last save, and for a save that has to be tried again.
    package var patience: Duration

    package init(
        rate: Double, duration: Duration, subscribers: Int, user: String, database: DatabaseScope = .public,
        patience: Duration = .seconds(30)
    ) {
        phases = [LoadPhase(rate: rate, seconds: Double(duration.components.seconds))]
        self.subscribers = subscribers
        self.user = user
        self.database = database
        self.patience = patience
    }

    /// The number of records that are saved.
    package var count: Int { phases.reduce(0) { $0 + $1.count } }
    /// Subscribers: in the private database the publisher itself is the only one.
    var channels: Int { database == .public ? subscribers : 1 }
    /// The devices that are notified of each record.
    var receivers: Int { devices * (isForAll ? channels : 1) }
}
