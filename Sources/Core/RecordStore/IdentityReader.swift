package import CloudModel

/// Reads of credentials and users' profiles.
package protocol IdentityReader {
    /// The origins and callbacks that an API token is limited to, by its SHA-256 digest; none means any.
    func origins(ofAPIToken digest: [UInt8]) throws -> [String]

    /// A server-to-server key; nil when there is none.
    func serverKey(_ id: String) throws -> StoredServerKey?

    /// A user's profile; nil when there is no user of that name.
    func profile(of user: UserRecordName) throws -> UserProfile?

    /// A user's identity at the issuer; nil when there is no user of that name.
    func identity(of user: UserRecordName) throws -> UserIdentity?

    /// The users with an email address (`EmailAddress.key`), first the oldest.
    func profiles(withEmail email: String) throws -> [UserProfile]
}

/// Writes of credentials and users' profiles.
package protocol IdentityTransaction: IdentityReader {
    /// Limits an API token to one more origin.
    func addOrigin(_ origin: String, toAPIToken digest: [UInt8]) throws

    /// Adds a server-to-server key; its user is there already.
    func addServerKey(_ key: StoredServerKey, note: String, at time: Timestamp) throws

    /// Saves a user's profile in place of the old one.
    func setProfile(_ profile: UserProfile) throws
}
