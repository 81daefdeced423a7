package import CloudModel

/// What can be asked about who makes requests.
package protocol IdentityReader {
    /// The origins that an API token is limited to, by its SHA-256 digest; none means any.
    func origins(ofAPIToken digest: [UInt8]) throws -> [String]

    /// A server-to-server key; nil when there is none.
    func serverKey(_ id: String) throws -> StoredServerKey?

    /// What is known of a user; nil when there is none of that name.
    func profile(of user: UserRecordName) throws -> UserProfile?

    /// The users with an email address (lower case), first the oldest.
    func profiles(withEmail email: String) throws -> [UserProfile]
}

/// What can be changed about who makes requests.
package protocol IdentityTransaction: IdentityReader {
    /// Limits an API token to one more origin.
    func addOrigin(_ origin: String, toAPIToken digest: [UInt8]) throws

    /// Adds a server-to-server key; its user is there already.
    func addServerKey(_ key: StoredServerKey, note: String, at time: Timestamp) throws

    /// Remembers what is known of a user, in place of what was.
    func setProfile(_ profile: UserProfile) throws
}
