import CloudModel
import RecordStore

/// Amounts that users have, and may have.
struct UsageRoom {
    var used: [UserRecordName: Usage] = [:]
    var quotas = UsageQuotas()

    /// Checks that there is room; a decrease is never refused.
    /// - Throws: `QUOTA_EXCEEDED`.
    func check(_ charge: UsageCharge) throws(CloudError) {
        guard charge.amount > 0 else { return }
        let used = used[charge.user]?[charge.kind] ?? 0
        let quota = quotas[charge.kind]
        guard used + charge.amount <= quota else {
            throw CloudError.exceeded(
                ExceededLimit(charge.kind.limitName, quota, of: charge.kind.isVolume ? .storage : .number),
                "the quota of \(charge.kind.text) is \(quota), and \(used) are used; delete some first")
        }
    }
}
