/// A user's identity at a provider: the issuer, and the user's name there.
package struct UserIdentity: Hashable, Sendable {
    /// The issuer of the identity.
    package var issuer: String
    /// The issuer's name for the user.
    package var subject: String

    package init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }

    /// A user who was invited by an address (`EmailAddress.key`) and has not signed in with it.
    package static func invited(_ address: String) -> UserIdentity {
        UserIdentity(issuer: "invited", subject: address)
    }

    /// A user of the sign-in for development.
    package static func development(_ name: String) -> UserIdentity {
        UserIdentity(issuer: "development", subject: name)
    }

    /// True if a name was enough to sign in.
    package var isOfName: Bool { issuer == "development" }
}
