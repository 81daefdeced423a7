package import CloudModel

/// A registered device with when it was last heard of.
package struct StoredDevice: Hashable, Sendable {
    /// The device as it was registered last.
    package var device: Device
    /// The time when it last registered or asked for its feed; noted at most once a minute.
    package var lastSeen: Timestamp
    /// The same moment by the service clock, which decides when it is silent; of an older store `lastSeen`.
    package var lastHeard: Timestamp
    /// The change token that it asked with then: it has everything before. Nil where it began at the start.
    package var token: String?

    package init(device: Device, lastSeen: Timestamp, lastHeard: Timestamp? = nil, token: String? = nil) {
        self.device = device
        self.lastSeen = lastSeen
        self.lastHeard = lastHeard ?? lastSeen
        self.token = token
    }
}
