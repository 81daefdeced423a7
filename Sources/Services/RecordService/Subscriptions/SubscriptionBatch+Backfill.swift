import CloudModel
import RecordStore

extension SubscriptionBatch {
    /// The past that a new subscription begins with, and what its owner may read now; nil when it begins now.
    /// - Throws: `BAD_REQUEST` for a time to come.
    func backfill(of draft: SubscriptionDraft, _ condition: Subscription.Condition) throws -> Backfill? {
        let from: Timestamp
        switch draft.startingFrom {
        case .now: return nil
        case .time(let time): from = time
        case .changeToken:
            throw CloudError.badRequest(
                "startingFrom is neither 'now', nor a time, nor a change token of a device of yours")
        }
        guard from <= commit.time else {
            throw CloudError.badRequest(
                "startingFrom is \(from.milliseconds), which is to come: it is \(commit.time.milliseconds)")
        }
        switch database {
        case .private: return Backfill(from: from)
        case .public:
            return Backfill(from: from, reader: try transaction.permissions(of: condition.query.recordType).reader)
        case .shared:
            let zones = Set(
                try transaction.acceptedShares(of: user, in: nil).filter { $0.permission != .none }.map(\.zone))
            let sorted = zones.sorted {
                ($0.owner.rawValue, $0.name.rawValue) < ($1.owner.rawValue, $1.name.rawValue)
            }
            return Backfill(from: from, zones: sorted)
        }
    }
}
