package import CloudModel
package import Cryptography
import EventLog
import Messages

/// Web auth tokens: sealed, so that nothing has to be stored for them; each is another text, and all are good until they
/// end (design section 12, choice 16).
package struct WebAuthTokens: Sendable {
    private static let purpose = "web-auth/1"
    private let ring: KeyRing
    private let lifetime: Duration
    /// How long a token lives of a user who is not kept signed in (spec section 5.14).
    package static let briefLifetime = Duration.seconds(1800)

    /// Tokens of a key ring that live as long as said.
    package init(_ ring: KeyRing, lifetime: Duration) {
        self.ring = ring
        self.lifetime = lifetime
    }

    /// A fresh token for a user.
    /// - Parameter isBrief: whether the user did not ask to be kept signed in; so is every token that follows.
    package func make(
        for user: UserRecordName, in scope: ContainerEnvironment, at now: Timestamp, isBrief: Bool = false
    ) -> (token: String, expires: Timestamp) {
        let lifetime = isBrief ? min(lifetime, Self.briefLifetime) : lifetime
        let expires = Timestamp(milliseconds: now.milliseconds + lifetime.components.seconds * 1000)
        let message = WebAuthTokenMessage(
            container: scope.container.rawValue, environment: scope.environment.rawValue, user: user.rawValue,
            expires: expires.milliseconds, nonce: .random(in: 0 ... .max),
            isBrief: isBrief)
        return (ring.seal(message.encoded(), purpose: Self.purpose), expires)
    }

    /// The user of a token.
    /// - Throws: `AUTHENTICATION_FAILED` that says what is wrong with it.
    package func user(
        of token: String, in scope: ContainerEnvironment, at now: Timestamp
    ) throws(CloudError) -> UserRecordName {
        try session(of: token, in: scope, at: now).user
    }

    /// The user of a token, and whether tokens that follow it are brief.
    /// - Throws: as `user`.
    package func session(
        of token: String, in scope: ContainerEnvironment, at now: Timestamp
    ) throws(CloudError) -> (user: UserRecordName, isBrief: Bool) {
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
        guard message.expires > now.milliseconds else {
            throw CloudError(.authenticationFailed, "ckWebAuthToken has ended; sign in again")
        }
        return (UserRecordName(trusted: message.user), message.isBrief)
    }
}
