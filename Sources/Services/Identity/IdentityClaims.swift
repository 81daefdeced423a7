import CloudModel

/// What an issuer says of a user.
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

    /// As it is kept; addresses are told apart without regard to case.
    func profile(of name: UserRecordName) -> UserProfile {
        UserProfile(name: name, email: email?.lowercased(), givenName: givenName, familyName: familyName)
    }
}
