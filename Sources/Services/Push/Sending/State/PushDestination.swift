import CloudModel

/// One kind of address of a device: pushes to it are sent in order, one at a time.
struct PushDestination: Hashable, Sendable {
    /// The device.
    var device: DeviceID
    /// The life of the device.
    var epoch: DeviceEpoch
    /// The kind of the address.
    var kind: CourierKind

    /// The key of its row in `push-state`.
    var key: [UInt8] { Array("\(device)\u{0}\(epoch)\u{0}\(kind)".utf8) }

    /// The key of the waiting notification in `push-state`.
    var contentKey: [UInt8] { key + Self.contentSuffix }

    private static let contentSuffix = Array("\u{0}push".utf8)

    init(device: DeviceID, epoch: DeviceEpoch, kind: CourierKind) {
        self.device = device
        self.epoch = epoch
        self.kind = kind
    }

    /// Reads a key of `push-state`; nil for one that belongs to no destination.
    /// - Returns: the destination, and true where it is the key of a waiting notification.
    static func reading(_ key: [UInt8]) -> (destination: PushDestination, isContent: Bool)? {
        let parts = key.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard parts.count == 3 || parts.count == 4 && parts[3] == "push", let epoch = Int64(parts[1]) else {
            return nil
        }
        let destination = PushDestination(
            device: DeviceID(trusted: parts[0]), epoch: DeviceEpoch(epoch), kind: CourierKind(parts[2]))
        return (destination, parts.count == 4)
    }
}
