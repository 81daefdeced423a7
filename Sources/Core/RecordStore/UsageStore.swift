package import CloudModel

/// What is counted for a user as it is saved and removed.
package enum UsageKind: Int64, Sendable, CaseIterable {
    /// Records in the user's private database, shared ones included, whoever made them.
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
    /// Shares in the user's zones, whoever made them.
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

/// What users have, as it was counted.
package protocol UsageReader {
    /// What a user has.
    func usage(of user: UserRecordName) throws -> Usage

    /// Who had anything that is counted, by name, after a name.
    func usersWithUsage(after name: String, limit: Int) throws -> [UserRecordName]

    /// Whether an address of an upload was used.
    func hasUpload(_ nonce: String) throws -> Bool
}

/// Counts.
package protocol UsageTransaction: UsageReader {
    /// Adds to an amount, or takes away from it; no amount gets below zero.
    func addUsage(_ difference: Int64, _ kind: UsageKind, of user: UserRecordName) throws

    /// Takes a new registration of a device out of the user's bucket, which holds `burst` and gets one more every
    /// `secondsEach`.
    /// - Returns: nil, or the seconds until there is one.
    func takeRegistration(
        of user: UserRecordName, burst: Int, secondsEach: Int, at time: Timestamp
    ) throws -> Int?

    /// Remembers that the address of an upload was used.
    func addUpload(_ nonce: String, of user: UserRecordName, size: Int64, at time: Timestamp) throws

    /// Forgets uploads from before a time, which count no more.
    func removeUploads(before time: Timestamp, limit: Int) throws -> Int
}
