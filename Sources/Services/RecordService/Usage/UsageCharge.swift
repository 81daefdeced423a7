import CloudModel
import RecordStore

/// An amount that is counted for a user; less than zero gives some back.
struct UsageCharge: Hashable {
    var user: UserRecordName
    var kind: UsageKind
    var amount: Int64

    init(_ user: UserRecordName, _ kind: UsageKind, _ amount: some BinaryInteger) {
        self.user = user
        self.kind = kind
        self.amount = Int64(amount)
    }

    /// The charges of a change of a record: records and bytes.
    static func charges(before: RecordImage?, after: RecordImage?, _ setting: ZoneSetting) -> [UsageCharge] {
        guard let record = (after ?? before)?.record else { return [] }
        let user = setting.payer(of: record)
        let isPublic = setting.database == .public
        let records = (after == nil ? 0 : 1) - (before == nil ? 0 : 1)
        let bytes = (after?.body.count ?? 0) - (before?.body.count ?? 0)
        let assets = (after?.record.assetBytes ?? 0) - (before?.record.assetBytes ?? 0)
        return [
            UsageCharge(user, isPublic ? .publicRecords : .privateRecords, records),
            UsageCharge(user, isPublic ? .publicBytes : .privateBytes, bytes),
            UsageCharge(user, .assetBytes, assets),
        ]
    }
}
