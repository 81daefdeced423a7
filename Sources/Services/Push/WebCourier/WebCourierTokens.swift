import CloudMessages
import CloudModel
import Cryptography
import ProtocolBuffers

/// Seals the addresses of web couriers: the token is the secret, and names its device and its end itself.
struct WebCourierTokens: Sendable {
    private static let purpose = "courier/1"
    private let ring: KeyRing
    private let scope: ContainerEnvironment

    init(_ ring: KeyRing, scope: ContainerEnvironment) {
        self.ring = ring
        self.scope = scope
    }

    /// Makes the token of an address.
    func seal(_ address: CourierAddress) -> String {
        let message = CourierTokenMessage(
            container: scope.container.rawValue, environment: scope.environment.rawValue, user: address.user.rawValue,
            device: address.device.rawValue, epoch: address.epoch.rawValue, expires: address.expires.milliseconds)
        return ring.seal(message.encoded(), purpose: Self.purpose)
    }

    /// Returns the address of a token; nil when it is none of this container and environment.
    func open(_ text: String) -> CourierAddress? {
        guard let bytes = try? ring.open(text, purpose: Self.purpose),
            let message = try? CourierTokenMessage(decoding: bytes), message.container == scope.container.rawValue,
            message.environment == scope.environment.rawValue
        else { return nil }
        return CourierAddress(
            user: UserRecordName(trusted: message.user), device: DeviceID(trusted: message.device),
            epoch: DeviceEpoch(message.epoch), expires: Timestamp(milliseconds: message.expires))
    }
}
