import CloudMessages
import CloudModel
import RecordStore

extension SubscriptionBatch {
    /// The past that a new subscription begins with, and what its owner may read now; nil when it begins now.
    /// - Throws: `BAD_REQUEST` for a time to come; `CHANGE_TOKEN_EXPIRED` for a query after which changes may be gone.
    func backfill(of draft: SubscriptionDraft, _ condition: Subscription.Condition) throws -> Backfill? {
        let from: Timestamp
        var after = CommitSequence.zero
        switch draft.startingFrom {
        case .now: return nil
        case .time(let time): from = time
        case .query(let last, let time):
            try checkIsKept(last, time)
            (from, after) = (time, last)
        case .changeToken:
            throw CloudError.badRequest(
                "startingFrom is neither 'now', nor a time, nor a change token of a device of yours")
        }
        guard from <= commit.time else {
            throw CloudError.badRequest(
                "startingFrom is \(from.milliseconds), which is to come: it is \(commit.time.milliseconds)")
        }
        switch database {
        case .private: return Backfill(from: from, after: after)
        case .public:
            return Backfill(
                from: from, after: after, reader: try transaction.permissions(of: condition.query.recordType).reader)
        case .shared:
            let zones = Set(
                try transaction.acceptedShares(of: user, in: nil).filter { $0.permission != .none }.map(\.zone))
            let sorted = zones.sorted {
                ($0.owner.rawValue, $0.name.rawValue) < ($1.owner.rawValue, $1.name.rawValue)
            }
            return Backfill(from: from, after: after, zones: sorted)
        }
    }

    /// Checks that all changes after a query are there to be delivered.
    /// - Throws: `CHANGE_TOKEN_EXPIRED`.
    private func checkIsKept(_ last: CommitSequence, _ time: Timestamp) throws {
        try LostFutures.check(SyncPosition(sequence: last), transaction)
        guard commit.time.milliseconds - time.milliseconds < layout.retention.changes else {
            throw SyncTokens.expired("changes after the query are no longer kept")
        }
    }

    /// Checks that the user may have one more backfill: each reads what changed since its start. Of a backfill whose
    /// end was never reported nothing counts after a day.
    func checkBackfills() throws {
        let day = Timestamp(milliseconds: commit.serviceTime.milliseconds - Retention.days(1))
        try transaction.removeBackfills(before: day, limit: 1000)
        let lately = try transaction.backfills(of: user, since: day)
        let open = lately.open[database] ?? 0
        guard open < Limits.backfillsOpenMax else {
            throw CloudError.exceeded(
                ExceededLimit("backfillsOpenMax", Limits.backfillsOpenMax, of: .storage),
                "the past of \(open) subscriptions of yours is being delivered, and at most \(Limits.backfillsOpenMax) in "
                    + "a database may wait for it: try again once it has come, or delete some of them")
        }
        guard lately.count < Limits.backfillsPerDayMax else {
            throw CloudError.exceeded(
                ExceededLimit("backfillsPerDayMax", Limits.backfillsPerDayMax, of: .storage),
                "\(lately.count) subscriptions of yours began in the past within a day, deleted ones included; at most "
                    + "\(Limits.backfillsPerDayMax) may: leave startingFrom out, or try again later")
        }
    }

    /// Publishes the boundaries at which the backfills of the request's subscriptions end.
    func endBackfills() throws {
        if hasNewBackfill { try commit.publishBoundaries(in: database, for: user) }
    }
}
