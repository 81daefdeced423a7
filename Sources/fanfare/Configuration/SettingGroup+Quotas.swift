import Settings

extension SettingGroup {
    /// The quotas of one user in an environment.
    static let quotaSettings: [Setting<Configuration>] = [
        Setting("subscriptions-max", \.subscriptionsMax, in: 1...1_000_000, "subscriptions of a user in one database"),
        quota("private-records", \.quotas.privateRecords, "records in a user's private database"),
        quota("private-mebibytes", \.quotas.privateMebibytes, "MiB of those"),
        quota("public-records", \.quotas.publicRecords, "records that a user made in the public database"),
        quota("public-mebibytes", \.quotas.publicMebibytes, "MiB of those"),
        quota("asset-mebibytes", \.quotas.assetMebibytes, "MiB of files in all these records"),
        quota("upload-mebibytes", \.quotas.uploadMebibytes, "MiB that a user uploads in 48 hours"),
        quota("invited-addresses", \.quotas.invitedAddresses, "addresses that a user was the first to invite"),
        quota("shares", \.quotas.shares, "shares in all zones of a user"),
        quota(
            "schema-parts", \.quotas.schemaParts,
            "record types, fields and conditions of subscriptions that development learns from a user"),
    ]

    private static func quota(
        _ name: String, _ path: any WritableKeyPath<Configuration, Int> & Sendable, _ meaning: String
    ) -> Setting<Configuration> {
        Setting("quota-\(name)", path, in: 0...1_000_000_000, "\(meaning); more is QUOTA_EXCEEDED; 0 is no bound")
    }
}
