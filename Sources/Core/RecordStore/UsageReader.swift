package import CloudModel

/// Reads of users' usage.
package protocol UsageReader {
    /// The usage of a user.
    func usage(of user: UserRecordName) throws -> Usage

    /// Users with usage, by name, after a name.
    func usersWithUsage(after name: String, limit: Int) throws -> [UserRecordName]

    /// Returns true if the address of an upload was used.
    func hasUpload(_ nonce: String) throws -> Bool
}

/// Writes of users' usage.
package protocol UsageTransaction: UsageReader {
    /// Adds to an amount, or takes away from it; no amount gets below zero.
    func addUsage(_ difference: Int64, _ kind: UsageKind, of user: UserRecordName) throws

    /// Takes a new registration of a device out of the user's bucket, which holds `burst` and gets one more every
    /// `secondsEach`.
    /// - Returns: nil, or the seconds until there is one.
    func takeRegistration(
        of user: UserRecordName, burst: Int, secondsEach: Int, at time: Timestamp
    ) throws -> Int?

    /// Marks the address of an upload as used.
    func addUpload(_ nonce: String, of user: UserRecordName, size: Int64, at time: Timestamp) throws

    /// Takes back an upload that was not kept: it counts no more. Harmless when there is none.
    func removeUpload(_ nonce: String) throws

    /// Removes uploads from before a time, which count no more.
    func removeUploads(before time: Timestamp, limit: Int) throws -> Int
}
