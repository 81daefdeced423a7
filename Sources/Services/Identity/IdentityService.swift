package import CloudModel
package import Cryptography
package import RecordStore
import Synchronization
import Waiting

/// Identities of one container's environment: sign-in, API tokens, server-to-server keys, sessions and their end (see
/// `DESIGN.md`).
package final class IdentityService: Sendable {
    /// Settings of operators.
    package struct Options: Sendable {
        /// A Boolean that allows `{"user": "alice"}` to sign in, in development.
        package var allowsDevelopmentSignIn = false
        /// The time a web auth token is good.
        package var webAuthTokenLifetime = Duration.seconds(14 * 86_400)
        /// The time a sign-in lasts at most, however often its token is renewed.
        package var sessionMax = WebAuthTokens.sessionDefaultMax

        package init() {}
    }

    /// Ends what goes with a user's sessions, in the transaction that ends all of them.
    package typealias SessionsEnded =
        @Sendable (
            _ user: UserRecordName, _ end: SessionsEnd, _ time: Timestamp, _ transaction: any StoreTransaction
        ) throws -> Void

    /// Returns the time of the service clock.
    package typealias ServiceTime = @Sendable () async throws -> Timestamp

    /// The container and environment.
    package let scope: ContainerEnvironment
    /// The store that knows the users.
    package let store: any RecordStore
    /// Settings of operators.
    package let options: Options
    /// The clock; tests drive their own.
    package let now: @Sendable () -> Timestamp
    /// The clock of removals, which no leap of the calendar moves.
    let serviceTime: ServiceTime
    /// Signs in users by ID token; nil refuses them.
    let provider: IdentityProvider?
    let sessionsEnded: SessionsEnded
    /// Results of earlier look-ups.
    let cache = BusyMutex(IdentityCache())
    /// Sign-ins that were finished, by their nonces.
    let usedAttempts = Mutex(
        UsedNonces(
            lifetimeSeconds: Int(SignInAttempt.lifetime.components.seconds), generationMax: Limits.usedSignInsMax))
    /// Rung for a user whose credentials were taken back.
    let bell = Bell<UserRecordName>()

    /// Identities of a store.
    /// - Parameters:
    ///     - provider: signs in users by ID token; nil refuses them.
    ///     - serviceTime: the clock of removals.
    ///     - sessionsEnded: ends what goes with a user's sessions.
    package init(
        _ scope: ContainerEnvironment, store: any RecordStore, options: Options = Options(),
        provider: IdentityProvider? = nil, now: @escaping @Sendable () -> Timestamp,
        serviceTime: @escaping ServiceTime, sessionsEnded: @escaping SessionsEnded
    ) {
        self.scope = scope
        self.store = store
        self.options = options
        self.provider = provider
        self.now = now
        self.serviceTime = serviceTime
        self.sessionsEnded = sessionsEnded
    }

    /// Web auth tokens of the users of this store, sealed with a key ring.
    package func webAuthTokens(_ keys: KeyRing) -> WebAuthTokens {
        WebAuthTokens(
            keys, lifetime: options.webAuthTokenLifetime, store: store.incarnation, sessionMax: options.sessionMax)
    }
}
