package import CloudModel
package import Identity
package import RecordStore

/// The people who look after the service, as the settings name them.
package struct OperatorList: Sendable {
    private let rights: [String: [Operator.Right]]
    private let hasClaim: Bool

    /// - Parameters:
    ///   - entries: addresses or `ISSUER#SUBJECT`, each with a role, as `anna@example.com=operator`, and perhaps the
    ///     container of the role, as in `ben@example.com=operator:iCloud.com.example.Gallery/production`. Several entries
    ///     of one person give several rights.
    ///   - claim: the claim of ID tokens that has roles; empty for none.
    package init(_ entries: [String], claim: String) {
        rights = Dictionary(grouping: entries.compactMap(Self.entry), by: \.name).mapValues { $0.map(\.right) }
        hasClaim = !claim.isEmpty
    }

    /// Indicates whether nobody signs in as an operator.
    package var isEmpty: Bool { rights.isEmpty && !hasClaim }

    /// Reads an entry; nil for any other text.
    package static func entry(_ text: String) -> (name: String, right: Operator.Right)? {
        guard let equals = text.lastIndex(of: "="),
            let right = right(text[text.index(after: equals)...])
        else { return nil }
        let name = String(text[..<equals])
        guard name.contains("@") || name.contains("#") else { return nil }
        return (name.contains("#") ? name : EmailAddress(trusted: name).key, right)
    }

    /// Reads `ROLE` or `ROLE:CONTAINER` or `ROLE:CONTAINER/ENVIRONMENT`.
    private static func right(_ text: Substring) -> Operator.Right? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let role = Operator.Role(rawValue: parts[0]) else { return nil }
        guard parts.count == 2 else { return Operator.Right(role) }
        let names = parts[1].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= 2, (try? ContainerIdentifier(names[0])) != nil,
            names.count == 1 || CloudEnvironment(rawValue: names[1]) != nil
        else { return nil }
        return Operator.Right(role, place: parts[1])
    }

    /// The operator whom a provider has proved.
    /// - Throws: `ACCESS_DENIED` for somebody who is none.
    package func operating(_ identity: UserIdentity, _ claims: IdentityClaims) throws(CloudError) -> Operator {
        let subject = "\(identity.issuer)#\(identity.subject)"
        if let rights = rights[subject] { return Operator(name: subject, rights: rights) }
        // The provider has verified the address; another one is not among the claims.
        guard let address = claims.email.map({ EmailAddress(trusted: $0).key }) else { throw Self.unknown(subject) }
        if let rights = rights[address] { return Operator(name: address, rights: rights) }
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
