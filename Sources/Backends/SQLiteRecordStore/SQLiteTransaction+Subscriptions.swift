import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    func subscription(_ key: SubscriptionKey) throws -> StoredSubscription? {
        try connection.first(
            """
            SELECT id, created, saved, condition, body FROM subscriptions
            WHERE user = ? AND database = ? AND id = ?
            """, .text(key.user.rawValue), .integer(Int64(key.database.rawValue)), .text(key.id.rawValue)
        ) { Self.subscription($0, key.user, key.database) }
    }

    func subscriptions(of user: UserRecordName, in database: DatabaseScope) throws -> [StoredSubscription] {
        try connection.query(
            """
            SELECT id, created, saved, condition, body FROM subscriptions
            WHERE user = ? AND database = ? ORDER BY id
            """, .text(user.rawValue), .integer(Int64(database.rawValue))
        ) { Self.subscription($0, user, database) }
    }

    func subscriptionID(
        of user: UserRecordName, in database: DatabaseScope, condition: [UInt8]
    ) throws -> SubscriptionID? {
        try connection.first(
            "SELECT id FROM subscriptions WHERE user = ? AND database = ? AND condition = ?", .text(user.rawValue),
            .integer(Int64(database.rawValue)), .blob(condition)
        ) { SubscriptionID(trusted: $0.text(0)) }
    }

    func subscriptionCount(of user: UserRecordName, in database: DatabaseScope) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM subscriptions WHERE user = ? AND database = ?", .text(user.rawValue),
            .integer(Int64(database.rawValue))
        ) { Int($0.integer(0)) } ?? 0
    }

    func subscriptionBytes(of user: UserRecordName, in database: DatabaseScope) throws -> Int {
        try connection.first(
            "SELECT sum(length(body)) FROM subscriptions WHERE user = ? AND database = ?", .text(user.rawValue),
            .integer(Int64(database.rawValue))
        ) { Int($0.integer(0)) } ?? 0
    }

    func save(_ subscription: StoredSubscription) throws {
        try connection.run(
            """
            INSERT INTO subscriptions (user, database, id, created, saved, condition, body) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (user, database, id) DO UPDATE SET
                created = excluded.created, saved = excluded.saved, condition = excluded.condition, body = excluded.body
            """,
            .text(subscription.key.user.rawValue), .integer(Int64(subscription.key.database.rawValue)),
            .text(subscription.key.id.rawValue), .integer(subscription.created.rawValue),
            .integer(subscription.saved.rawValue), .blob(subscription.condition), .blob(subscription.body))
    }

    func deleteSubscription(_ key: SubscriptionKey) throws {
        try connection.run(
            "DELETE FROM subscriptions WHERE user = ? AND database = ? AND id = ?", .text(key.user.rawValue),
            .integer(Int64(key.database.rawValue)), .text(key.id.rawValue))
    }

    func supersededVersions(before time: Timestamp, limit: Int) throws -> [SupersededVersion] {
        try connection.query(
            "SELECT sequence, key, time FROM superseded WHERE time < ? ORDER BY sequence LIMIT ?",
            .integer(time.milliseconds), .integer(Int64(limit))
        ) {
            SupersededVersion(
                sequence: CommitSequence($0.integer(0)), key: $0.blob(1), time: Timestamp(milliseconds: $0.integer(2)))
        }
    }

    func addSuperseded(_ version: SupersededVersion) throws {
        try connection.run(
            "INSERT INTO superseded (sequence, key, time) VALUES (?, ?, ?)", .integer(version.sequence.rawValue),
            .blob(version.key), .integer(version.time.milliseconds))
        guard let key = version.subscription else { return }
        try connection.run(
            "INSERT INTO superseded_of (sequence, user, database, id, bytes) VALUES (?, ?, ?, ?, ?)",
            .integer(version.sequence.rawValue), .text(key.user.rawValue), .integer(Int64(key.database.rawValue)),
            .text(key.id.rawValue), .integer(Int64(version.bytes)))
    }

    func removeSuperseded(_ sequence: CommitSequence) throws {
        try connection.run("DELETE FROM superseded WHERE sequence = ?", .integer(sequence.rawValue))
    }

    func supersededTotals(of user: UserRecordName) throws -> SupersededTotals {
        try connection.first(
            """
            SELECT count(*), coalesce(sum(o.bytes), 0), coalesce(min(s.time), 0)
            FROM superseded_of o CROSS JOIN superseded s ON s.sequence = o.sequence WHERE o.user = ?
            """, .text(user.rawValue)
        ) {
            let count = Int($0.integer(0))
            return SupersededTotals(
                count: count, bytes: Int($0.integer(1)),
                oldest: count > 0 ? Timestamp(milliseconds: $0.integer(2)) : nil)
        } ?? SupersededTotals()
    }

    func supersededVersions(of key: SubscriptionKey, after sequence: CommitSequence) throws -> [SupersededVersion] {
        try connection.query(
            """
            SELECT s.sequence, s.key, s.time, o.bytes FROM superseded_of o CROSS JOIN superseded s ON s.sequence = o.sequence
            WHERE o.user = ? AND o.database = ? AND o.id = ? AND o.sequence > ? ORDER BY o.sequence
            """, .text(key.user.rawValue), .integer(Int64(key.database.rawValue)), .text(key.id.rawValue),
            .integer(sequence.rawValue)
        ) {
            SupersededVersion(
                sequence: CommitSequence($0.integer(0)), key: $0.blob(1), time: Timestamp(milliseconds: $0.integer(2)),
                subscription: key, bytes: Int($0.integer(3)))
        }
    }

    /// The last one of all users', which is above that of each.
    func lastChangeSequence(in database: DatabaseScope, of user: UserRecordName) throws -> CommitSequence {
        if let pending = pending.lastChanges[Int64(database.rawValue)] { return CommitSequence(pending) }
        return try connection.first(
            "SELECT sequence FROM last_changes WHERE database = ?", .integer(Int64(database.rawValue))
        ) { CommitSequence($0.integer(0)) } ?? .zero
    }

    static func subscription(
        _ row: SQLiteStatement, _ user: UserRecordName, _ database: DatabaseScope
    ) -> StoredSubscription {
        StoredSubscription(
            key: SubscriptionKey(user: user, database: database, id: SubscriptionID(trusted: row.text(0))),
            created: CommitSequence(row.integer(1)), saved: CommitSequence(row.integer(2)), condition: row.blob(3),
            body: row.blob(4))
    }
}
