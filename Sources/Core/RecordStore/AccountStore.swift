package import CloudModel

/// What decides whether a user's sessions are good.
package struct StoredAccount: Hashable, Sendable {
    /// Whether the user is one whom requests may act for: not an invitation, and not deleted.
    package var exists: Bool
    /// Whether an operator has shut the user out.
    package var isBlocked: Bool
    /// How often all sessions of the user were ended: those of an earlier count are over.
    package var sessionEpoch: Int64
    /// Single sessions of this epoch that were ended.
    package var endedSessions: Set<UInt64>

    package init(exists: Bool, isBlocked: Bool, sessionEpoch: Int64, endedSessions: Set<UInt64>) {
        self.exists = exists
        self.isBlocked = isBlocked
        self.sessionEpoch = sessionEpoch
        self.endedSessions = endedSessions
    }
}

/// A user as operators see one.
package struct ListedUser: Hashable, Sendable {
    /// What is known of the user.
    package var profile: UserProfile
    /// Who the user is outside.
    package var identity: UserIdentity
    /// When the user was made.
    package var created: Timestamp
    /// Whether an operator has shut the user out.
    package var isBlocked: Bool
    /// Whether other users find this one.
    package var isDiscoverable: Bool

    package init(
        profile: UserProfile, identity: UserIdentity, created: Timestamp, isBlocked: Bool, isDiscoverable: Bool
    ) {
        self.profile = profile
        self.identity = identity
        self.created = created
        self.isBlocked = isBlocked
        self.isDiscoverable = isDiscoverable
    }
}

/// An API token or a server-to-server key as operators see it.
package struct ListedCredential: Hashable, Sendable {
    /// A key's ID; the SHA-256 digest of a token, in hexadecimal digits.
    package var id: String
    /// What it is for, as its maker said.
    package var note: String
    /// When it was made.
    package var created: Timestamp
    /// The origins that a token is limited to.
    package var origins: [String]

    package init(id: String, note: String, created: Timestamp, origins: [String] = []) {
        self.id = id
        self.note = note
        self.created = created
        self.origins = origins
    }
}

/// What can be asked about accounts: the part of identity that operators and users take back.
package protocol AccountReader {
    /// How often something that credentials rest on was taken back, and from whom since a version; nil users: from
    /// anybody. Whoever remembers answers asks for it.
    func identityChanges(after version: Int64) throws -> (version: Int64, users: [UserRecordName]?)

    /// A user's account; nil when there is no user of that name.
    func account(of user: UserRecordName) throws -> StoredAccount?

    /// Whether other users find a user.
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

/// What can be changed about them.
package protocol AccountTransaction: AccountReader {
    /// Notes for those who remember answers that something was taken back.
    /// - Parameter user: whom it concerns; nil is everybody.
    func noteIdentityChange(of user: UserRecordName?) throws

    /// Ends all sessions of a user that began before.
    func endSessions(of user: UserRecordName) throws

    /// Ends one session of a user; remembered until it would have ended by itself.
    func endSession(_ session: UInt64, of user: UserRecordName, until: Timestamp) throws

    /// Forgets ended sessions that would be over by themselves.
    func removeEndedSessions(before time: Timestamp) throws

    /// Shuts a user out, or lets a user in again.
    func setBlocked(_ isBlocked: Bool, _ user: UserRecordName) throws

    /// Lets others find a user, or not.
    func setDiscoverable(_ isDiscoverable: Bool, _ user: UserRecordName) throws

    /// Keeps what a user was invited to by an address which is another's from now on.
    /// - Parameter invited: the record name that stood for the address.
    func holdInvitations(to invited: UserRecordName, for user: UserRecordName) throws

    /// Forgets who a user is outside, and what is known of the user. The name is never given to anybody else.
    func removeIdentity(of user: UserRecordName) throws

    /// Takes a user out of a share as it is looked up.
    func removeParticipant(_ user: UserRecordName, from share: RecordName, in zone: ZoneID) throws

    /// Takes an API token back, by its digest; false when there is none.
    func removeAPIToken(digest: [UInt8]) throws -> Bool

    /// Takes a server-to-server key back; false when there is none.
    func removeServerKey(_ id: String) throws -> Bool
}
