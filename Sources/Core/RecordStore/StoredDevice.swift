package import CloudModel

/// A registered device with when it was last heard of.
package struct StoredDevice: Hashable, Sendable {
    package var device: Device
    package var lastSeen: Timestamp

    package init(device: Device, lastSeen: Timestamp) {
        self.device = device
        self.lastSeen = lastSeen
    }
}
