package import CloudModel

/// The part of a store that a write works on. A store with several processes locks it first, so that two writes of one
/// part meet at their beginning and not at their end. A wrong part costs time and is never wrong otherwise.
package enum StorePart: Hashable, Sendable {
    /// The private database of a user: its zones, records and shares, and the user's subscriptions.
    case database(UserRecordName)
    /// A user: account, devices, addresses, uploads.
    case user(UserRecordName)
    /// The public database.
    case records
    /// Parts that are known only once they are read, several, or none: the schema, sweeps, repairs, administration. It
    /// keeps nobody out.
    case whole
}
