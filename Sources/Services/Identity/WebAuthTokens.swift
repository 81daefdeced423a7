import CloudMessages
package import CloudModel
package import Cryptography
import ProtocolBuffers

/// Web auth tokens: sealed, so that nothing is stored for them. Each is another text, and all are valid until they or
/// their session end (docs/choices.md, 16).
package struct WebAuthTokens: Sendable {
    private static let purpose = "web-auth/1"
    private let ring: KeyRing
    private let lifetime: Duration
    private let store: UInt64
    private let sessionMax: Duration
    /// The lifetime of tokens of a user who is not kept signed in (docs/cloudkit.md#authentication).
    package static let briefLifetime = Duration.seconds(1800)
    /// The longest such session, however often its token is renewed.
    package static let briefSessionMax = Duration.seconds(12 * 3600)
    /// The longest session, unless the settings say otherwise.
    package static let sessionDefaultMax = Duration.seconds(90 * 86_400)

    /// Tokens of a key ring that live as long as said.
    /// - Parameters:
    ///   - store: the incarnation of the store that knows the users; tokens of another one are refused.
    ///   - sessionMax: how long the tokens that follow from one sign-in are good.
    package init(
        _ ring: KeyRing, lifetime: Duration, store: UInt64 = 0, sessionMax: Duration = Self.sessionDefaultMax
    ) {
        self.ring = ring
        self.lifetime = lifetime
        self.store = store
        self.sessionMax = sessionMax
    }

    /// A token of a session that begins now.
    /// - Parameter isBrief: whether the user did not ask to be kept signed in; so is every token that follows.
    package func make(
        for user: UserRecordName, in scope: ContainerEnvironment, at now: Timestamp, isBrief: Bool = false
    ) -> (token: String, expires: Timestamp) {
        let session = UserSession(user: user, id: .random(in: 0 ... .max), signedIn: now, isBrief: isBrief, epoch: 0)
        return make(for: session, in: scope, at: now)
    }

    /// A fresh token of a session, which ends with the session at the latest.
    package func make(
        for session: UserSession, in scope: ContainerEnvironment, at now: Timestamp
    ) -> (token: String, expires: Timestamp) {
        let lifetime = session.isBrief ? min(lifetime, Self.briefLifetime) : lifetime
        let own = Timestamp(milliseconds: now.milliseconds + lifetime.components.seconds * 1000)
        let expires = min(own, end(of: session))
        let message = WebAuthTokenMessage(
            container: scope.container.rawValue, environment: scope.environment.rawValue, user: session.user.rawValue,
            expires: expires.milliseconds, nonce: .random(in: 0 ... .max), isBrief: session.isBrief,
            signedIn: session.signedIn.milliseconds, session: session.id, sessionEpoch: session.epoch, store: store)
        return (ring.seal(message.encoded(), purpose: Self.purpose), expires)
    }

    /// The time when a session ends by itself.
    package func end(of session: UserSession) -> Timestamp {
        let longest = session.isBrief ? min(sessionMax, Self.briefSessionMax) : sessionMax
        let (end, isNever) = session.signedIn.milliseconds.addingReportingOverflow(longest.components.seconds * 1000)
        return Timestamp(milliseconds: isNever ? .max : end)
    }

    /// The user of a token.
    /// - Throws: `AUTHENTICATION_FAILED` with the reason.
    package func user(
        of token: String, in scope: ContainerEnvironment, at now: Timestamp
    ) throws(CloudError) -> UserRecordName {
        try session(of: token, in: scope, at: now).user
    }

    /// The session of a token, as the token says; `RecordService.check` knows whether somebody has ended it.
    /// - Throws: as `user`.
    package func session(
        of token: String, in scope: ContainerEnvironment, at now: Timestamp
    ) throws(CloudError) -> UserSession {
        let message: WebAuthTokenMessage
        do {
            message = try WebAuthTokenMessage(decoding: ring.open(token, purpose: Self.purpose))
        } catch {
            throw CloudError(.authenticationFailed, "ckWebAuthToken is not one of ours: \(error)")
        }
        guard message.container == scope.container.rawValue, message.environment == scope.environment.rawValue else {
            throw CloudError(
                .authenticationFailed,
                "ckWebAuthToken is of \(message.container)/\(message.environment); sign in to \(scope.container)/\(scope.environment)"
            )
        }
        guard message.store == store else {
            throw CloudError(
                .authenticationFailed, "ckWebAuthToken is of a store that this service had before; sign in again")
        }
        let session = UserSession(
            user: UserRecordName(trusted: message.user), id: message.session,
            signedIn: Timestamp(milliseconds: message.signedIn), isBrief: message.isBrief,
            epoch: message.sessionEpoch)
        guard min(message.expires, end(of: session).milliseconds) > now.milliseconds else {
            throw CloudError(.authenticationFailed, "ckWebAuthToken has ended; sign in again")
        }
        return session
    }
}
