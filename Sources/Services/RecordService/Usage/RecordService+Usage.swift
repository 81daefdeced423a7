package import CloudModel
import RecordStore

extension RecordService {
    /// One line of what a user has.
    package struct UsageLine: Hashable, Sendable {
        /// The name of the count in messages to programs.
        package var name: String
        /// The amount there is.
        package var used: Int64
        /// The largest amount; nil for any.
        package var quota: Int64?
    }

    /// Lists the amounts that a user has and may have, as counted and as it is.
    package func usage(of user: UserRecordName) async throws -> [UsageLine] {
        try await store.read { [options] reader in
            let counted = try reader.usage(of: user)
            var lines = UsageKind.allCases.map {
                UsageLine(name: $0.name, used: counted[$0], quota: options.quotas.limit(of: $0))
            }
            func add(_ name: String, _ used: Int, _ quota: Int) {
                lines.append(UsageLine(name: name, used: Int64(used), quota: Int64(quota)))
            }
            add("zones", try reader.customZoneCount(of: user, in: .private), Limits.zonesPerUserMax)
            add("acceptedShares", try reader.acceptedShareCount(of: user), Limits.acceptedSharesMax)
            add("devices", try reader.devices(of: user).count, Limits.devicesPerUserMax)
            add("webCouriers", try reader.couriers(of: user).count, Limits.couriersPerUserMax)
            for database in DatabaseScope.allCases {
                add(
                    "subscriptions.\(database)", try reader.subscriptionCount(of: user, in: database),
                    options.subscriptionsMax)
            }
            let superseded = try reader.supersededTotals(of: user)
            add("supersededVersions", superseded.count, Limits.supersededVersionsMax)
            add("supersededBytes", superseded.bytes, Limits.supersededBytesMax)
            return lines
        }
    }

    /// Users for whom anything was counted, by name, after a name.
    package func usersWithUsage(after name: String, limit: Int) async throws -> [UserRecordName] {
        try await store.read { try $0.usersWithUsage(after: name, limit: limit) }
    }
}

extension UsageKind {
    /// The name that programs use.
    fileprivate var name: String {
        switch self {
        case .privateRecords: "privateRecords"
        case .privateBytes: "privateBytes"
        case .publicRecords: "publicRecords"
        case .publicBytes: "publicBytes"
        case .assetBytes: "assetBytes"
        case .uploadBytes: "uploadBytes"
        case .invitedAddresses: "invitedAddresses"
        case .schemaParts: "schemaParts"
        case .shares: "shares"
        }
    }
}
