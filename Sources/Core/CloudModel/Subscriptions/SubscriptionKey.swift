/// Names a subscription within an environment: its owner, the owner's database, and its ID there.
package struct SubscriptionKey: Hashable, Sendable, CustomStringConvertible {
    /// The user whose subscription it is.
    package var user: UserRecordName
    /// The database that it watches.
    package var database: DatabaseScope
    /// The name, unique among the user's in the database.
    package var id: SubscriptionID

    package init(user: UserRecordName, database: DatabaseScope, id: SubscriptionID) {
        self.user = user
        self.database = database
        self.id = id
    }

    package var description: String { "\(database)/\(user)/\(id)" }
}
