import CloudModel

/// The claims of an issuer about a user.
package struct IdentityClaims: Hashable, Sendable {
    /// An address that the issuer has verified.
    package var email: String?
    /// The first name, or the only one.
    package var givenName: String?
    /// The last name.
    package var familyName: String?

    package init(email: String?, givenName: String?, familyName: String?) {
        self.email = email
        self.givenName = givenName
        self.familyName = familyName
    }

    /// The profile that is kept; addresses are compared without regard to case.
    func profile(of name: UserRecordName) -> UserProfile {
        UserProfile(name: name, email: email?.lowercased(), givenName: givenName, familyName: familyName)
    }
}
