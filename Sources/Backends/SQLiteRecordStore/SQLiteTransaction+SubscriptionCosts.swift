import CloudModel
import RecordStore
import SQLite

extension StoreSchema {
    /// Costs of subscriptions.
    static let subscriptionCostTables = """
        CREATE TABLE IF NOT EXISTS subscription_costs (
            user TEXT NOT NULL, database INTEGER NOT NULL, id TEXT NOT NULL, cost INTEGER NOT NULL,
            PRIMARY KEY (user, database, id),
            FOREIGN KEY (user, database, id) REFERENCES subscriptions (user, database, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        """
}

extension SQLiteTransaction {
    func subscriptionCosts(of user: UserRecordName, in database: DatabaseScope) throws -> Int {
        try connection.first(
            "SELECT sum(cost) FROM subscription_costs WHERE user = ? AND database = ?", .text(user.rawValue),
            .integer(Int64(database.rawValue))
        ) { Int($0.integer(0)) } ?? 0
    }

    func subscriptionsWithoutCost(
        of user: UserRecordName, in database: DatabaseScope
    ) throws -> [StoredSubscription] {
        try connection.query(
            """
            SELECT id, created, saved, condition, body FROM subscriptions AS s
            WHERE user = ? AND database = ? AND NOT EXISTS (
                SELECT 1 FROM subscription_costs AS c WHERE c.user = s.user AND c.database = s.database AND c.id = s.id)
            """, .text(user.rawValue), .integer(Int64(database.rawValue))
        ) { Self.subscription($0, user, database) }
    }

    func saveCost(_ cost: Int, of key: SubscriptionKey) throws {
        try connection.run(
            "INSERT OR REPLACE INTO subscription_costs (user, database, id, cost) VALUES (?, ?, ?, ?)",
            .text(key.user.rawValue), .integer(Int64(key.database.rawValue)), .text(key.id.rawValue),
            .integer(Int64(cost)))
    }
}
