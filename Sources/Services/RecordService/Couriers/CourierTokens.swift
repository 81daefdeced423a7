import CloudMessages
import CloudModel
import Cryptography
import ProtocolBuffers

/// Seals what a web courier's address is for: the address is the secret, and says itself whose it is and when it ends.
struct CourierTokens: Sendable {
    private static let purpose = "courier/1"
    private let ring: KeyRing
    private let scope: ContainerEnvironment

    init(_ ring: KeyRing, scope: ContainerEnvironment) {
        self.ring = ring
        self.scope = scope
    }

    /// The token of a courier.
    func seal(_ device: Device, until expires: Timestamp) -> String {
        let message = CourierTokenMessage(
            container: scope.container.rawValue, environment: scope.environment.rawValue, user: device.user.rawValue,
            device: device.id.rawValue, epoch: device.epoch.rawValue, expires: expires.milliseconds)
        return ring.seal(message.encoded(), purpose: Self.purpose)
    }

    /// What a token is for; nil when it is none of this container and environment.
    func open(_ text: String) -> (user: UserRecordName, device: DeviceID, epoch: DeviceEpoch, expires: Timestamp)? {
        guard let bytes = try? ring.open(text, purpose: Self.purpose),
            let message = try? CourierTokenMessage(decoding: bytes), message.container == scope.container.rawValue,
            message.environment == scope.environment.rawValue
        else { return nil }
        return (
            UserRecordName(trusted: message.user), DeviceID(trusted: message.device), DeviceEpoch(message.epoch),
            Timestamp(milliseconds: message.expires)
        )
    }
}
