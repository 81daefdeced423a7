/// Who a user is outside: an issuer, and the user's name there.
package struct UserIdentity: Hashable, Sendable {
    /// Who vouches for the user.
    package var issuer: String
    /// The issuer's name for the user.
    package var subject: String

    package init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }

    /// A user of the sign-in for development.
    package static func development(_ name: String) -> UserIdentity {
        UserIdentity(issuer: "development", subject: name)
    }
}
