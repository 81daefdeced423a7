package import CloudModel
package import RecordStore

/// Counts what a request saves and removes for whom it counts, and refuses what goes over a quota. Amounts are read once.
final class UsageLedger {
    private let transaction: any UsageTransaction
    private let quotas: UsageQuotas
    private var known: [UserRecordName: Usage] = [:]

    init(_ transaction: any UsageTransaction, _ quotas: UsageQuotas) {
        self.transaction = transaction
        self.quotas = quotas
    }

    /// - Throws: `QUOTA_EXCEEDED` when there is no room for more; what is less is never refused.
    func check(_ more: Int64, _ kind: UsageKind, of user: UserRecordName) throws {
        guard more > 0 else { return }
        let used = try usage(of: user)[kind]
        guard used + more <= quotas[kind] else {
            throw CloudError(
                .quotaExceeded,
                "the quota of \(kind.text) is \(quotas[kind]), and \(used) are used; delete some first")
        }
    }

    /// Counts what was done.
    func add(_ difference: Int64, _ kind: UsageKind, of user: UserRecordName) throws {
        guard difference != 0 else { return }
        var usage = try usage(of: user)
        usage[kind] = max(0, usage[kind] + difference)
        known[user] = usage
        try transaction.addUsage(difference, kind, of: user)
    }

    private func usage(of user: UserRecordName) throws -> Usage {
        if let usage = known[user] { return usage }
        let usage = try transaction.usage(of: user)
        known[user] = usage
        return usage
    }
}

extension UsageKind {
    /// As reasons and `fanfare users usage` call it.
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
