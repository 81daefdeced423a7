package import CloudModel
package import Identity
package import RecordStore

/// The people who look after the service, as the settings name them.
package struct OperatorList: Sendable {
    private let roles: [String: Operator.Role]
    private let hasClaim: Bool

    /// - Parameters:
    ///   - entries: addresses or `ISSUER#SUBJECT`, each with a role, as `anna@example.com=operator`.
    ///   - claim: the claim of ID tokens that has roles; empty for none.
    package init(_ entries: [String], claim: String) {
        roles = Dictionary(entries.compactMap(Self.entry)) { first, _ in first }
        hasClaim = !claim.isEmpty
    }

    /// Indicates whether nobody signs in as an operator.
    package var isEmpty: Bool { roles.isEmpty && !hasClaim }

    /// Reads an entry; nil for a text that is none.
    package static func entry(_ text: String) -> (name: String, role: Operator.Role)? {
        guard let equals = text.lastIndex(of: "="),
            let role = Operator.Role(rawValue: String(text[text.index(after: equals)...]))
        else { return nil }
        let name = String(text[..<equals])
        guard name.contains("@") || name.contains("#") else { return nil }
        return (name.contains("#") ? name : EmailAddress(trusted: name).key, role)
    }

    /// The operator whom a provider has proved.
    /// - Throws: `ACCESS_DENIED` for somebody who is none.
    package func operating(_ identity: UserIdentity, _ claims: IdentityClaims) throws(CloudError) -> Operator {
        let subject = "\(identity.issuer)#\(identity.subject)"
        if let role = roles[subject] { return Operator(name: subject, role: role) }
        // The provider has verified the address; another one is not among the claims.
        guard let address = claims.email.map({ EmailAddress(trusted: $0).key }) else { throw Self.unknown(subject) }
        if let role = roles[address] { return Operator(name: address, role: role) }
        let claimed = hasClaim ? claims.roles.compactMap(Operator.Role.init) : []
        guard let role = claimed.contains(.operator) ? .operator : claimed.first else { throw Self.unknown(address) }
        return Operator(name: address, role: role)
    }

    private static func unknown(_ name: String) -> CloudError {
        CloudError(
            .accessDenied,
            "'\(name.prefix(255))' is no operator of this service; the setting operators names those who are")
    }
}
