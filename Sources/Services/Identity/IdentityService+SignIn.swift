package import CloudModel
package import RecordStore
import Synchronization

extension IdentityService {
    /// Decides whether a sign-in makes a user, in its transaction: by the address that the user proved.
    package typealias UserAdmission =
        @Sendable (_ address: EmailAddress?, _ reader: any StoreReader) throws -> Bool

    /// Signs a user in by name, in development alone and where that allows it; the first time makes the user.
    /// - Throws: `ACCESS_DENIED` where it is not allowed, `NOT_FOUND` for a new user who is not admitted.
    package func signInForDevelopment(
        as name: String, admits: UserAdmission? = nil
    ) async throws -> UserRecordName {
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
        // Fewer people may see an address than a name.
        let isAddress = name.contains("@")
        if isAddress { _ = try EmailAddress(name) }
        // Beside a provider an address is one that it verified.
        let claims = IdentityClaims(
            email: isAddress && provider == nil ? name : nil, givenName: String(name.prefix { $0 != "@" }),
            familyName: nil)
        return try await user(.development(name), claims, admits: admits)
    }

    /// Signs in the user of an ID token of the configured issuer; the first sign-in creates the user.
    /// - Throws: `ACCESS_DENIED` if no issuer is configured, `AUTHENTICATION_FAILED` with the error of the token,
    ///   `TRY_AGAIN_LATER` if the issuer's keys cannot be fetched.
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

    /// Uses an attempt up, whatever becomes of it: it is good once, so that one attempt causes one request to the
    /// provider.
    /// - Throws: `BAD_REQUEST` if it was used, as far as this process remembers.
    package func useUp(_ attempt: SignInAttempt) throws(CloudError) {
        let time = now()
        guard usedAttempts.withLock({ $0.note(attempt.nonce, at: time) }) else {
            throw .badRequest("this sign-in is over, well or not; begin again")
        }
    }

    /// Signs in the user for whom the provider gave a code.
    /// - Parameter client: the client's address; requests to the provider are shared fairly between addresses.
    /// - Throws: as `signIn(idToken:)`; `NOT_FOUND` for a new user who is not admitted; `TRY_AGAIN_LATER` or `THROTTLED`
    ///   while too many are under way.
    package func signIn(
        code: String, of attempt: SignInAttempt, redirect: String, from client: String, admits: UserAdmission? = nil
    ) async throws -> UserRecordName {
        let (identity, claims) = try await provenIdentity(code: code, of: attempt, redirect: redirect, from: client)
        return try await user(identity, claims, admits: admits)
    }

    /// The identity for which the provider gave a code; makes no user.
    /// - Throws: as `signIn(code:of:redirect:from:admits:)`.
    package func provenIdentity(
        code: String, of attempt: SignInAttempt, redirect: String, from client: String
    ) async throws -> (identity: UserIdentity, claims: IdentityClaims) {
        guard let provider else { throw Self.hasNoProvider }
        let token = try await provider.idToken(of: attempt, code: code, redirect: redirect, from: client)
        return try await provider.identity(of: token, nonce: attempt.nonce, at: now())
    }

    private static let hasNoProvider = CloudError(
        .accessDenied, "there is no OpenID provider here; the settings oidc-issuer and oidc-audience name one")

    /// The user of an identity; created at the first sign-in with it.
    /// - Parameters:
    ///   - claims: the current claims; nil leaves the stored ones.
    ///   - admits: decides on a new user; nil takes everybody.
    package func user(
        _ identity: UserIdentity, _ claims: IdentityClaims? = nil, admits: UserAdmission? = nil
    ) async throws -> UserRecordName {
        let proved = try claims?.address()
        let known = try await store.read { reader -> (name: UserRecordName, isCurrent: Bool)? in
            guard let name = try reader.user(identity) else { return nil }
            guard let claims else { return (name, true) }
            return (name, try reader.profile(of: name) == claims.profile(of: name, proved))
        }
        if let known, known.isCurrent { return known.name }
        let time = now()
        return try await store.write(in: known.map { .user($0.name) } ?? .whole) { transaction in
            let known = try transaction.user(identity)
            let address = try proved.flatMap { try Self.isProved($0, by: identity, transaction) ? $0 : nil }
            if known == nil, let admits, try !admits(address, transaction) {
                throw CloudError(.notFound, "there is nothing here for a new user; ask whoever sent the address")
            }
            if let address { try Self.takeAddress(address, from: known, transaction) }
            let invited = try address.flatMap { try transaction.user(.invited($0.key)) }
            let name = known ?? invited ?? UserRecordName(trusted: UniqueName.makeUser())
            if known == nil {
                // The invited participant of this address is this user from now on.
                if invited != nil {
                    try transaction.setIdentity(identity, of: name)
                } else {
                    try transaction.addUser(name, identity, at: time)
                }
            }
            if let claims {
                try Self.dropAddress(of: name, unless: address, transaction)
                try transaction.setProfile(claims.profile(of: name, address))
            }
            return name
        }
    }
}
