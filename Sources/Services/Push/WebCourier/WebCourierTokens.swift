import CloudMessages
package import CloudModel
package import Cryptography
import ProtocolBuffers

/// Seals the addresses of web couriers: clients poll a URL, `/aps?tok=…`, and get push payloads one at a time
/// (docs/cloudkit.md#web-courier). The token is the secret, and names its device and its end itself.
package struct WebCourierTokens: Sendable {
    /// The name under which devices are registered for the web courier.
    package static let kind = CourierKind.web
    /// The platform that its devices are listed with.
    package static let platform = "webcourier"

    private static let purpose = "courier/1"
    private let ring: KeyRing
    private let scope: ContainerEnvironment

    /// Seals for one container's environment.
    package init(_ ring: KeyRing, scope: ContainerEnvironment) {
        self.ring = ring
        self.scope = scope
    }

    /// Makes the token of an address: its holder may poll.
    package func token(of address: CourierAddress) -> String {
        let message = CourierTokenMessage(
            container: scope.container.rawValue, environment: scope.environment.rawValue, user: address.user.rawValue,
            device: address.device.rawValue, epoch: address.epoch.rawValue, expires: address.expires.milliseconds)
        return ring.seal(message.encoded(), purpose: Self.purpose)
    }

    /// Returns the address of a token; nil when it is none of this container and environment.
    package func address(of token: String) -> CourierAddress? {
        guard let bytes = try? ring.open(token, purpose: Self.purpose),
            let message = try? CourierTokenMessage(decoding: bytes), message.container == scope.container.rawValue,
            message.environment == scope.environment.rawValue
        else { return nil }
        return CourierAddress(
            user: UserRecordName(trusted: message.user), device: DeviceID(trusted: message.device),
            epoch: DeviceEpoch(message.epoch), expires: Timestamp(milliseconds: message.expires))
    }
}
