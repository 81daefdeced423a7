import CloudMessages
package import CloudModel
package import Cryptography
import ProtocolBuffers

/// Seals the addresses of pushes before they are stored or published: tokens and endpoints are credentials.
///
/// Each is sealed for its user, device and kind, so that bytes that somebody moved in the store or in the topic do not
/// open. Addresses are found by codes, which only the key ring makes.
package struct PushAddressSeals: Sendable {
    private let key: StorageKey
    private let scope: ContainerEnvironment

    /// Seals of an environment, by the key ring that stays with its store.
    package init(_ ring: KeyRing, scope: ContainerEnvironment) {
        key = StorageKey(ring, purpose: "push addresses")
        self.scope = scope
    }

    /// The stored form of an address.
    package func seal(_ address: PushAddress, of user: UserRecordName, _ device: DeviceID) -> [UInt8] {
        key.seal(PushAddressMessage(address).encoded(), for: place(user, device, address.kind))
    }

    /// The address in its stored form, and whether the current key sealed it.
    /// - Throws: `SealedTokenError` where the key ring is another one, or the bytes were changed or moved.
    package func open(
        _ sealed: [UInt8], of user: UserRecordName, _ device: DeviceID, _ kind: CourierKind
    ) throws -> (address: PushAddress, isCurrent: Bool) {
        let (content, isCurrent) = try key.opened(sealed, for: place(user, device, kind))
        return (try PushAddressMessage(decoding: content).pushAddress(), isCurrent)
    }

    /// The codes under which an address is stored: by the current key, and by former ones. A token and an endpoint have
    /// the same codes for every user and device. The URL of a webhook may be many users': it has others for each device.
    package func codes(of address: PushAddress, of user: UserRecordName, _ device: DeviceID) -> [[UInt8]] {
        var message = Array("\(scope)\u{0}\(address.kind)\u{0}".utf8)
        switch address {
        case .apns(let apns): message += apns.token
        case .webPush(let web): message += Array(web.endpoint.utf8)
        case .webhook(let hook): message += Array("\(user)\u{0}\(device)\u{0}\(hook.url)".utf8)
        }
        return key.codes(of: message)
    }

    /// No name has a NUL in it.
    private func place(_ user: UserRecordName, _ device: DeviceID, _ kind: CourierKind) -> String {
        [
            scope.container.rawValue, scope.environment.rawValue, user.rawValue, device.rawValue, kind.rawValue,
        ].joined(separator: "\u{0}")
    }
}
