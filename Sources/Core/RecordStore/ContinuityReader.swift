package import CloudModel

/// Rows that wait to be published.
package struct OutboxTotals: Hashable, Sendable {
    /// The number of rows.
    package var rows: Int
    /// Bytes of their values.
    package var bytes: Int

    package init(rows: Int = 0, bytes: Int = 0) {
        self.rows = rows
        self.bytes = bytes
    }
}

/// Reads that keep a store, its clock and its log in step.
package protocol ContinuityReader {
    /// The time of the last commit that took a sequence; 1970 before the first.
    func lastCommitTime() throws -> Timestamp

    /// The service clock as it was noted last; nil before the first time.
    func serviceClock() throws -> StoredClock?

    /// The rows after a sequence: counted, which takes as long as there are many.
    func outboxTotals(after sequence: CommitSequence) throws -> OutboxTotals

    /// Subscriptions of all users after one, by key.
    func subscriptions(after key: SubscriptionKey?, limit: Int) throws -> [StoredSubscription]

    /// Devices of all users after one, by ID.
    func devices(after id: DeviceID?, limit: Int) throws -> [StoredDevice]
}

/// Writes that keep a store, its clock and its log in step.
package protocol ContinuityTransaction: ContinuityReader {
    /// Sets the time of the last commit.
    func noteCommitTime(_ time: Timestamp) throws

    /// Notes the service clock, unless the one that was noted before is later.
    func noteServiceClock(_ clock: StoredClock) throws

    /// Leaves out sequences, so that the next one is above a given one.
    func skipSequences(through sequence: CommitSequence) throws
}
