package import CloudModel

/// A registered device with when it was last heard of.
package struct StoredDevice: Hashable, Sendable {
    /// The device as it was registered last.
    package var device: Device
    /// The time when it last registered or asked for its feed; noted at most once a minute.
    package var lastSeen: Timestamp
    /// The change token that it asked with then: it has everything before. Nil where it began at the start.
    package var token: String?

    package init(device: Device, lastSeen: Timestamp, token: String? = nil) {
        self.device = device
        self.lastSeen = lastSeen
        self.token = token
    }
}
