import CloudMessages
package import CloudModel
package import Cryptography
import EventLog
import ProtocolBuffers
import TextForms

/// Seals positions in feeds as opaque change tokens, and opens them (docs/delivery.md#change-tokens).
package struct ChangeTokens: Sendable {
    private static let purpose = "change-token/1"
    private let ring: KeyRing

    /// Tokens of a key ring, which all roles share.
    package init(_ ring: KeyRing) { self.ring = ring }

    /// The token for a place in a feed.
    package func seal(_ place: FeedPosition, of identity: FeedIdentity) -> String {
        let message = ChangeTokenMessage(
            container: identity.scope.container.rawValue, environment: identity.scope.environment.rawValue,
            user: identity.user.rawValue, device: identity.device.rawValue, epoch: identity.epoch.rawValue,
            part: place.part.rawValue, position: PositionMessage(place.position), raggedUntil: place.raggedUntil,
            log: place.log, fingerprint: place.fingerprint, time: place.time?.milliseconds,
            looked: place.looked)
        // As CloudKit's are: base64.
        return ring.seal(message.encoded(), purpose: Self.purpose, as: .standard)
    }

    /// Returns the position in a token of this feed.
    /// - Throws: `BAD_REQUEST` with the reason; `CHANGE_TOKEN_EXPIRED` for an earlier epoch of the device; a later
    ///   epoch was never issued and is `BAD_REQUEST`.
    package func open(_ token: String, of identity: FeedIdentity) throws(CloudError) -> FeedPosition {
        let message = try message(token)
        let scope = "\(identity.scope.container)/\(identity.scope.environment)"
        guard message.container == identity.scope.container.rawValue,
            message.environment == identity.scope.environment.rawValue
        else {
            throw .badRequest("serverChangeToken is of \(message.container)/\(message.environment), not of \(scope)")
        }
        guard message.user == identity.user.rawValue else {
            throw .badRequest("serverChangeToken is another user's")
        }
        guard message.device == identity.device.rawValue else {
            throw .badRequest("serverChangeToken is of the device '\(message.device)', not of '\(identity.device)'")
        }
        guard message.epoch >= identity.epoch.rawValue else {
            throw CloudError(
                .changeTokenExpired,
                "the device '\(identity.device)' was registered again since this token; fetch again without a token")
        }
        guard message.epoch == identity.epoch.rawValue, let place = FeedPosition(message) else {
            throw .badRequest("serverChangeToken is of a feed that does not exist")
        }
        return place
    }

    /// The feed and the place of a token, whosever it is: for operators.
    /// - Throws: `BAD_REQUEST` when it is not one that this key ring sealed.
    package func inspect(_ token: String) throws(CloudError) -> (identity: FeedIdentity, place: FeedPosition) {
        let message = try message(token)
        guard let environment = CloudEnvironment(rawValue: message.environment), let place = FeedPosition(message)
        else { throw .badRequest("the token is of a later version") }
        let identity = FeedIdentity(
            scope: ContainerEnvironment(
                container: ContainerIdentifier(trusted: message.container), environment: environment),
            user: UserRecordName(trusted: message.user), device: DeviceID(trusted: message.device),
            epoch: DeviceEpoch(message.epoch))
        return (identity, place)
    }

    /// Returns the feed and the position in a token of one of a user's devices, of any epoch.
    /// - Throws: `BAD_REQUEST` with the reason.
    func place(
        of token: String, of user: UserRecordName, in scope: ContainerEnvironment
    ) throws(CloudError) -> (FeedIdentity, FeedPosition) {
        let message = try message(token)
        let identity = FeedIdentity(
            scope: scope, user: user, device: DeviceID(trusted: message.device), epoch: DeviceEpoch(message.epoch))
        return (identity, try open(token, of: identity))
    }

    private func message(_ token: String) throws(CloudError) -> ChangeTokenMessage {
        do {
            return try ChangeTokenMessage(decoding: ring.open(token, purpose: Self.purpose))
        } catch let error as SealedTokenError {
            throw .badRequest("serverChangeToken is not one of ours: \(error)")
        } catch {
            throw .badRequest("serverChangeToken cannot be read: \(error)")
        }
    }
}

extension FeedPosition {
    /// The place that a token names; nil where its part is unknown.
    fileprivate init?(_ message: ChangeTokenMessage) {
        guard let part = Part(rawValue: message.part), let position = message.position?.position else { return nil }
        self.init(
            part: part, position: position, raggedUntil: message.raggedUntil, log: message.log,
            fingerprint: message.fingerprint, looked: message.looked,
            time: message.time.map { Timestamp(milliseconds: $0) })
    }
}
