import CloudModel

/// The claims of an issuer about a user.
package struct IdentityClaims: Hashable, Sendable {
    /// An address that the issuer has verified.
    package var email: String?
    /// The first name, or the only one.
    package var givenName: String?
    /// The last name.
    package var familyName: String?
    /// The values of the claim that has roles of operators; not kept.
    package var roles: [String] = []

    package init(email: String?, givenName: String?, familyName: String?) {
        self.email = email
        self.givenName = givenName
        self.familyName = familyName
    }

    /// The address as it is compared.
    /// - Throws: `AUTHENTICATION_FAILED` for one with control characters or line ends.
    func address() throws(CloudError) -> EmailAddress? {
        do throws(CloudError) {
            return try email.map { text throws(CloudError) in try EmailAddress(text) }
        } catch {
            throw CloudError(.authenticationFailed, "the sign-in is refused: \(error.reason)")
        }
    }

    /// The profile that is kept.
    func profile(of name: UserRecordName, _ address: EmailAddress?) -> UserProfile {
        UserProfile(name: name, email: address?.key, givenName: givenName, familyName: familyName)
    }
}
