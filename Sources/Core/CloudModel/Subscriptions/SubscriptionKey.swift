/// Names a subscription within an environment: its owner, the owner's database, and its ID there.
package struct SubscriptionKey: Hashable, Sendable, CustomStringConvertible {
    package var user: UserRecordName
    package var database: DatabaseScope
    package var id: SubscriptionID

    package init(user: UserRecordName, database: DatabaseScope, id: SubscriptionID) {
        self.user = user
        self.database = database
        self.id = id
    }

    package var description: String { "\(database)/\(user)/\(id)" }
}
