package import CloudModel

/// Reads of accounts: the part of identity that operators and users revoke.
package protocol AccountReader {
    /// The number of revocations so far, and the users they concerned since a version; nil users means all of them.
    /// Caches of credentials are valid for a version.
    func identityChanges(after version: Int64) throws -> (version: Int64, users: [UserRecordName]?)

    /// A user's account; nil when there is no user of that name.
    func account(of user: UserRecordName) throws -> StoredAccount?

    /// Returns true if other users find a user.
    func isDiscoverable(_ user: UserRecordName) throws -> Bool

    /// Users who said that they may be found, by name.
    func discoverableProfiles(limit: Int) throws -> [UserProfile]

    /// Users after a name, by name; invitations and deleted users left out.
    func users(after name: String, limit: Int) throws -> [ListedUser]

    /// All API tokens, oldest first.
    func apiTokens() throws -> [ListedCredential]

    /// All server-to-server keys, oldest first.
    func serverKeys() throws -> [ListedCredential]

    /// Record names under which a user was invited by addresses that others have now.
    func invitationsHeld(by user: UserRecordName) throws -> [UserRecordName]

    /// Shares that a user takes part in or is invited to by record name.
    func sharesNaming(_ user: UserRecordName, limit: Int) throws -> [(zone: ZoneID, name: RecordName)]

    /// Names of records in a zone after one, by name.
    func recordNames(
        in zone: ZoneID, of database: DatabaseScope, after name: String, limit: Int
    ) throws -> [RecordName]
}

/// Writes of accounts.
package protocol AccountTransaction: AccountReader {
    /// Counts a revocation, which ends caches of credentials.
    /// - Parameter user: the user concerned; nil is all.
    func noteIdentityChange(of user: UserRecordName?) throws

    /// Ends all sessions of a user that began before.
    func endSessions(of user: UserRecordName) throws

    /// Ends one session of a user; remembered until it would have ended by itself.
    func endSession(_ session: UInt64, of user: UserRecordName, until: Timestamp) throws

    /// Forgets ended sessions that would be over by themselves.
    func removeEndedSessions(before time: Timestamp) throws

    /// Blocks a user, or unblocks.
    func setBlocked(_ isBlocked: Bool, _ user: UserRecordName) throws

    /// Lets others find a user, or not.
    func setDiscoverable(_ isDiscoverable: Bool, _ user: UserRecordName) throws

    /// Keeps a user's invitations to an address that is another user's from now on.
    /// - Parameter invited: the record name that stood for the address.
    func holdInvitations(to invited: UserRecordName, for user: UserRecordName) throws

    /// Removes a user's identity and profile. The name is never given to another user.
    func removeIdentity(of user: UserRecordName) throws

    /// Takes a user out of a share as it is looked up.
    func removeParticipant(_ user: UserRecordName, from share: RecordName, in zone: ZoneID) throws

    /// Revokes an API token, by its digest; false when there is none.
    func removeAPIToken(digest: [UInt8]) throws -> Bool

    /// Revokes a server-to-server key; false when there is none.
    func removeServerKey(_ id: String) throws -> Bool
}
