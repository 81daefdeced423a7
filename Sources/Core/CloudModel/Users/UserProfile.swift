/// The user's names and address, as far as they are known.
package struct UserProfile: Hashable, Sendable {
    /// The user.
    package var name: UserRecordName
    /// An address that the issuer of the user's ID token has verified (`EmailAddress.key`).
    package var email: String?
    /// The first name, or the only one.
    package var givenName: String?
    /// The last name.
    package var familyName: String?

    package init(
        name: UserRecordName, email: String? = nil, givenName: String? = nil, familyName: String? = nil
    ) {
        self.name = name
        self.email = email
        self.givenName = givenName
        self.familyName = familyName
    }
}
