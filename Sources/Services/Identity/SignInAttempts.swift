import CloudMessages
package import CloudModel
package import Cryptography
import ProtocolBuffers

/// Seals sign-ins that were begun, for a cookie: nothing is stored for them, and the browser cannot read them.
package struct SignInAttempts: Sendable {
    private static let purpose = "sign-in-attempt/1"
    private static let acceptancePurpose = "share-acceptance/1"
    private let ring: KeyRing

    /// Attempts of a key ring.
    package init(_ ring: KeyRing) { self.ring = ring }

    /// The text of an attempt.
    package func seal(_ attempt: SignInAttempt, in scope: ContainerEnvironment) -> String {
        var message = SignInAttemptMessage(
            container: scope.container.rawValue, environment: scope.environment.rawValue,
            expires: attempt.expires.milliseconds, state: attempt.state, nonce: attempt.nonce,
            verifier: attempt.verifier, isBrief: !attempt.isKeptSignedIn)
        switch attempt.destination {
        case .opener(let origin): message.origin = origin
        case .callback(let address): message.callback = address
        case .share(let guid): message.share = guid
        case .channel(let name): message.channel = name
        case .operatorChannel(let name): (message.channel, message.isOperator) = (name, true)
        case .reader: break
        }
        return ring.sealHidden(message.encoded(), purpose: Self.purpose)
    }

    /// The state of a text's attempt, whatever its scope and end; nil for a text that none was sealed as.
    package func state(of text: String) -> String? {
        guard let payload = try? ring.openHidden(text, purpose: Self.purpose) else { return nil }
        return (try? SignInAttemptMessage(decoding: payload))?.state
    }

    /// The attempt of a text, if the provider's answer belongs to it.
    /// - Throws: `BAD_REQUEST` for an answer that this browser did not ask for, or that comes too late.
    package func open(
        _ text: String?, state: String, in scope: ContainerEnvironment, at now: Timestamp
    ) throws(CloudError) -> SignInAttempt {
        guard let text, let payload = try? ring.openHidden(text, purpose: Self.purpose),
            let message = try? SignInAttemptMessage(decoding: payload),
            message.container == scope.container.rawValue, message.environment == scope.environment.rawValue,
            ConstantTime.areEqual(Array(message.state.utf8), Array(state.utf8))
        else { throw .badRequest("this browser did not begin this sign-in, or has forgotten it; begin again") }
        guard message.expires > now.milliseconds else {
            throw .badRequest("the sign-in took longer than \(SignInAttempt.lifetime); begin again")
        }
        let destination: SignInAttempt.Destination =
            if !message.origin.isEmpty {
                .opener(origin: message.origin)
            } else if !message.callback.isEmpty {
                .callback(message.callback)
            } else if !message.share.isEmpty {
                .share(message.share)
            } else if !message.channel.isEmpty {
                message.isOperator ? .operatorChannel(message.channel) : .channel(message.channel)
            } else {
                .reader
            }
        return SignInAttempt(
            state: message.state, nonce: message.nonce, verifier: message.verifier, destination: destination,
            isKeptSignedIn: !message.isBrief, expires: Timestamp(milliseconds: message.expires))
    }

    // MARK: Acceptances

    /// The right to accept a share for a user, by a button of the page that this user was shown.
    package func sealAcceptance(
        of share: String, by user: UserRecordName, in scope: ContainerEnvironment, at now: Timestamp
    ) -> String {
        let message = ShareAcceptanceMessage(
            container: scope.container.rawValue, environment: scope.environment.rawValue, user: user.rawValue,
            share: share, expires: now.milliseconds + SignInAttempt.lifetime.components.seconds * 1000)
        return ring.sealHidden(message.encoded(), purpose: Self.acceptancePurpose)
    }

    /// The user who accepts.
    /// - Throws: `BAD_REQUEST` for a right that was made up, is of another share, or has ended.
    package func acceptingUser(
        _ text: String, of share: String, in scope: ContainerEnvironment, at now: Timestamp
    ) throws(CloudError) -> UserRecordName {
        guard let payload = try? ring.openHidden(text, purpose: Self.acceptancePurpose),
            let message = try? ShareAcceptanceMessage(decoding: payload), message.share == share,
            message.container == scope.container.rawValue, message.environment == scope.environment.rawValue,
            message.expires > now.milliseconds
        else { throw .badRequest("the page is too old; open the share again") }
        return UserRecordName(trusted: message.user)
    }
}
