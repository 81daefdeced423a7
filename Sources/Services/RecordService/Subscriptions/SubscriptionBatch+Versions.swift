import CloudMessages
import CloudModel
import RecordStore

extension SubscriptionBatch {
    /// Superseded versions stay in every matcher until no retained change can need them: a user has so many.
    /// - Parameter more: bytes of the version that is superseded now; 0 is none.
    func checkVersions(more: Int) throws {
        var totals = try superseded ?? transaction.supersededTotals(of: user)
        guard totals.count < Limits.supersededVersionsMax, totals.bytes + more <= Limits.supersededBytesMax else {
            throw Self.tooMany(totals, now: commit.time, retention: layout.retention.changes)
        }
        if more > 0 {
            totals.count += 1
            totals.bytes += more
        }
        superseded = totals
    }

    private static func tooMany(_ totals: SupersededTotals, now: Timestamp, retention: Int64) -> CloudError {
        let room = (totals.oldest?.milliseconds ?? now.milliseconds) + retention
        let seconds = max(1, Int((room - now.milliseconds) / 1000) + 600)
        return CloudError(
            .throttled,
            "\(totals.count) earlier versions and deletions of your subscriptions, \(totals.bytes) bytes, are kept as long as changes are; at most \(Limits.supersededVersionsMax), or \(Limits.supersededBytesMax) bytes, may be: save subscriptions less often. The first go in \(seconds) seconds",
            retryAfterSeconds: seconds)
    }
}
