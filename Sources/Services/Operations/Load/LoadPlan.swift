package import CloudModel

/// The plan of a load run.
package struct LoadPlan: Sendable {
    /// Records saved a second.
    package var rate: Double
    /// The time for which records are saved.
    package var duration: Duration
    /// Users, each with one device and one subscription; every record is for one of them.
    package var subscribers: Int
    /// The user that saves the records.
    package var user: String
    /// The database that records are saved in.
    package var database: DatabaseScope
    /// The time to wait for notifications after the last save.
    package var patience: Duration

    package init(
        rate: Double, duration: Duration, subscribers: Int, user: String, database: DatabaseScope = .public,
        patience: Duration = .seconds(30)
    ) {
        self.rate = rate
        self.duration = duration
        self.subscribers = subscribers
        self.user = user
        self.database = database
        self.patience = patience
    }

    /// The number of records that are saved.
    package var count: Int { Int(rate * Double(duration.components.seconds)) }
}
