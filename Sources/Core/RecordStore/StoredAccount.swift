package import CloudModel

/// The state of a user that sessions are checked against.
package struct StoredAccount: Hashable, Sendable {
    /// True if requests may act for the user: not an invitation, and not deleted.
    package var exists: Bool
    /// True if an operator has blocked the user.
    package var isBlocked: Bool
    /// The number of times that all sessions of the user were ended: those of an earlier count are over.
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
    /// The user's profile.
    package var profile: UserProfile
    /// The user's identity at the issuer.
    package var identity: UserIdentity
    /// The time of creation.
    package var created: Timestamp
    /// True if an operator has blocked the user.
    package var isBlocked: Bool
    /// True if other users find this one.
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
    /// The purpose, in its creator's words.
    package var note: String
    /// The time of creation.
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
