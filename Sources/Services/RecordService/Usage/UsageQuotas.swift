import CloudModel
package import RecordStore

/// Quotas of a user; `Limits` has the defaults.
package struct UsageQuotas: Hashable, Sendable {
    private var limits: [UsageKind: Int64] = [
        .privateRecords: Int64(Limits.privateRecordsMax), .privateBytes: Int64(Limits.privateBytesMax),
        .publicRecords: Int64(Limits.publicRecordsMax), .publicBytes: Int64(Limits.publicBytesMax),
        .assetBytes: Int64(Limits.userAssetBytesMax), .uploadBytes: Int64(Limits.uploadBytesMax),
        .invitedAddresses: Int64(Limits.invitedAddressesMax), .schemaParts: Int64(Limits.schemaPartsMax),
        .shares: Int64(Limits.sharesPerUserMax),
    ]

    /// The defaults.
    package init() {}

    /// The quota of a kind; nil for none.
    package func limit(of kind: UsageKind) -> Int64? { self[kind] == .max ? nil : self[kind] }

    /// The quota of a kind; the largest number stands for none.
    package subscript(_ kind: UsageKind) -> Int64 {
        get { limits[kind, default: .max] }
        set { limits[kind] = newValue }
    }
}
