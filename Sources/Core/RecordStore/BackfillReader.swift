package import CloudModel

/// A user's subscriptions that began in the past lately, deleted ones included.
package struct RecentBackfills: Hashable, Sendable {
    /// The number in all databases.
    package var count: Int
    /// The number of those in each database that are not delivered.
    package var open: [DatabaseScope: Int]

    package init(count: Int = 0, open: [DatabaseScope: Int] = [:]) {
        self.count = count
        self.open = open
    }
}

/// Reads of subscriptions' backfills.
package protocol BackfillReader {
    /// The user's subscriptions with a backfill that were created since a time.
    func backfills(of user: UserRecordName, since time: Timestamp) throws -> RecentBackfills
}

/// Writes of subscriptions' backfills.
package protocol BackfillTransaction: BackfillReader {
    /// Notes that a subscription with a backfill was created.
    func addBackfill(
        _ created: CommitSequence, of user: UserRecordName, in database: DatabaseScope, at time: Timestamp) throws

    /// Notes that backfills are delivered, or their subscriptions deleted; unknown ones change nothing.
    func endBackfills(_ created: [CommitSequence], of user: UserRecordName) throws

    /// Removes the notes from before a time.
    func removeBackfills(before time: Timestamp, limit: Int) throws

    /// Removes the notes of a user.
    func forgetBackfills(of user: UserRecordName) throws
}
