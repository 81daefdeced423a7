package import CloudModel
package import RecordStore

/// Counts what a request saves and removes for users, and reads what they have once.
final class UsageLedger {
    private let transaction: any UsageTransaction
    private let quotas: UsageQuotas
    private var known: [UserRecordName: Usage] = [:]

    init(_ transaction: any UsageTransaction, _ quotas: UsageQuotas) {
        self.transaction = transaction
        self.quotas = quotas
    }

    /// Amounts of users, to be checked.
    func room(of users: [UserRecordName]) throws -> UsageRoom {
        var used: [UserRecordName: Usage] = [:]
        for user in users { used[user] = try usage(of: user) }
        return UsageRoom(used: used, quotas: quotas)
    }

    /// Checks that there is room; a decrease is never refused.
    /// - Throws: `QUOTA_EXCEEDED`.
    func check(_ charge: UsageCharge) throws {
        guard charge.amount > 0 else { return }
        try room(of: [charge.user]).check(charge)
    }

    /// Adds to the count.
    func add(_ charge: UsageCharge) throws {
        guard charge.amount != 0 else { return }
        var usage = try usage(of: charge.user)
        usage[charge.kind] = max(0, usage[charge.kind] + charge.amount)
        known[charge.user] = usage
        try transaction.addUsage(charge.amount, charge.kind, of: charge.user)
    }

    private func usage(of user: UserRecordName) throws -> Usage {
        if let usage = known[user] { return usage }
        let usage = try transaction.usage(of: user)
        known[user] = usage
        return usage
    }
}

extension UsageKind {
    /// True for records, files and their bytes; false for numbers of other things.
    var isVolume: Bool {
        switch self {
        case .privateRecords, .privateBytes, .publicRecords, .publicBytes, .assetBytes, .uploadBytes: true
        case .invitedAddresses, .schemaParts, .shares: false
        }
    }

    /// The name of the limit in docs/limits.md.
    var limitName: String {
        switch self {
        case .privateRecords: "privateRecordsMax"
        case .privateBytes: "privateBytesMax"
        case .publicRecords: "publicRecordsMax"
        case .publicBytes: "publicBytesMax"
        case .assetBytes: "userAssetBytesMax"
        case .uploadBytes: "uploadBytesMax"
        case .invitedAddresses: "invitedAddressesMax"
        case .schemaParts: "schemaPartsMax"
        case .shares: "sharesPerUserMax"
        }
    }

    /// The name in reasons and in `fanfare users usage`.
    package var text: String {
        switch self {
        case .privateRecords: "records in the private database"
        case .privateBytes: "bytes of records in the private database"
        case .publicRecords: "records made in the public database"
        case .publicBytes: "bytes of records made in the public database"
        case .assetBytes: "bytes of assets in records"
        case .uploadBytes: "bytes of assets uploaded in 48 hours"
        case .invitedAddresses: "invited addresses"
        case .schemaParts: "types, fields and conditions that development learnt"
        case .shares: "shares in all zones"
        }
    }
}

extension Record {
    /// Bytes of the files that it holds.
    package var assetBytes: Int64 {
        fields.entries.reduce(0) { $0 + $1.value.assets.reduce(0) { $0 + $1.size } }
    }
}
