package import CloudModel
package import RecordStore

extension IdentityService {
    /// Signs a user in by name, in development alone and where that allows it; the first time makes the user.
    /// - Throws: `ACCESS_DENIED` where it is not allowed.
    package func signInForDevelopment(as name: String) async throws -> UserRecordName {
        guard scope.environment == .development else {
            throw CloudError(
                .accessDenied, "signing in by name is for the development environment only; send an idToken")
        }
        guard options.allowsDevelopmentSignIn else {
            throw CloudError(
                .accessDenied,
                "signing in by name is off here; the setting development-sign-in turns it on for development")
        }
        guard !name.isEmpty, name.utf8.count <= Limits.nameCharactersMax, !name.contains("\0") else {
            throw CloudError.badRequest("user is a name of 1 to \(Limits.nameCharactersMax) bytes")
        }
        // An address is told to fewer people than a name.
        let claims = IdentityClaims(
            email: name.contains("@") ? name : nil, givenName: String(name.prefix { $0 != "@" }), familyName: nil)
        return try await user(.development(name), claims)
    }

    /// Signs in the user of an ID token of the configured issuer; the first time makes the user.
    /// - Throws: `ACCESS_DENIED` where no issuer is configured, `AUTHENTICATION_FAILED` that says what is wrong with the
    ///   token, `TRY_AGAIN_LATER` when the issuer's keys cannot be had.
    package func signIn(idToken: String) async throws -> UserRecordName {
        guard let provider else {
            throw CloudError(
                .accessDenied,
                "signing in by ID token is off here; the settings oidc-issuer and oidc-audience turn it on")
        }
        let (identity, claims) = try await provider.identity(of: idToken, at: now())
        return try await user(identity, claims)
    }

    /// The ways in which a user can sign in on a page.
    package struct PageSignIn: Hashable, Sendable {
        /// The host of the OpenID provider; nil where there is none.
        package var providerHost: String?
        /// Indicates whether a name is enough, in development.
        package var takesNames: Bool
    }

    /// The ways in which a user can sign in on a page; nil where there are none.
    package var pageSignIn: PageSignIn? {
        let takesNames = options.allowsDevelopmentSignIn && scope.environment == .development
        guard provider != nil || takesNames else { return nil }
        return PageSignIn(providerHost: provider?.host, takesNames: takesNames)
    }

    /// The provider's address that a sign-in goes on at.
    /// - Parameter redirect: the address that the provider sends the browser back to.
    /// - Throws: `ACCESS_DENIED` where no issuer is configured, `TRY_AGAIN_LATER` when it cannot be asked.
    package func providerAddress(of attempt: SignInAttempt, redirect: String) async throws -> String {
        guard let provider else { throw Self.hasNoProvider }
        return try await provider.authorizationAddress(of: attempt, redirect: redirect)
    }

    /// Signs in the user for whom the provider gave a code.
    /// - Throws: as `signIn(idToken:)`.
    package func signIn(code: String, of attempt: SignInAttempt, redirect: String) async throws -> UserRecordName {
        guard let provider else { throw Self.hasNoProvider }
        let token = try await provider.idToken(of: attempt, code: code, redirect: redirect)
        let (identity, claims) = try await provider.identity(of: token, nonce: attempt.nonce, at: now())
        return try await user(identity, claims)
    }

    private static let hasNoProvider = CloudError(
        .accessDenied, "there is no OpenID provider here; the settings oidc-issuer and oidc-audience name one")

    /// The user of an identity; made if nobody has signed in with it before.
    /// - Parameter claims: what is known of the user now; nil leaves it as it was.
    package func user(_ identity: UserIdentity, _ claims: IdentityClaims? = nil) async throws -> UserRecordName {
        let known = try await store.read { reader -> (name: UserRecordName, isCurrent: Bool)? in
            guard let name = try reader.user(identity) else { return nil }
            guard let claims else { return (name, true) }
            return (name, try reader.profile(of: name) == claims.profile(of: name))
        }
        if let known, known.isCurrent { return known.name }
        let time = now()
        return try await store.write { transaction in
            let address = claims?.email.map { $0.lowercased() }
            let known = try transaction.user(identity)
            if let address { try Self.takeAddress(address, from: known, transaction) }
            let invited = try address.flatMap { try transaction.user(.invited($0)) }
            let name = known ?? invited ?? UserRecordName(trusted: UniqueName.makeUser())
            if known == nil {
                // Who was invited by this address is this user from now on.
                if invited != nil {
                    try transaction.setIdentity(identity, of: name)
                } else {
                    try transaction.addUser(name, identity, at: time)
                }
            }
            if let claims {
                try Self.dropAddress(of: name, unless: address, transaction)
                try transaction.setProfile(claims.profile(of: name))
            }
            return name
        }
    }
}
