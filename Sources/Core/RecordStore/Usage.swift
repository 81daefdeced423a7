/// A kind of usage, counted for a user as things are saved and removed.
package enum UsageKind: Int64, Sendable, CaseIterable {
    /// Records in the user's private database, shared ones included, of all creators.
    case privateRecords = 1
    /// Bytes of those, as encoded.
    case privateBytes = 2
    /// Records that the user made in the public database.
    case publicRecords = 3
    /// Bytes of those.
    case publicBytes = 4
    /// Bytes of the files that all of these hold, each field by itself.
    case assetBytes = 5
    /// Bytes of files that the user uploaded lately.
    case uploadBytes = 6
    /// Addresses that the user invited as the first.
    case invitedAddresses = 7
    /// Record types, fields and conditions of subscriptions that the user was the first to use.
    case schemaParts = 8
    /// Shares in the user's zones, of all creators.
    case shares = 9
}

/// Amounts by kind; a kind that is missing is zero.
package struct Usage: Hashable, Sendable {
    private var amounts: [UsageKind: Int64]

    package init(_ amounts: [UsageKind: Int64] = [:]) { self.amounts = amounts }

    /// The amount of a kind.
    package subscript(_ kind: UsageKind) -> Int64 {
        get { amounts[kind, default: 0] }
        set { amounts[kind] = newValue }
    }
}
