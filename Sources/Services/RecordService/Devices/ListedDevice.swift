package import CloudModel
package import RecordStore

/// A device as its user sees it.
package struct ListedDevice: Hashable, Sendable {
    /// The device as it was registered last.
    package var device: Device
    /// The time when it was last heard of.
    package var lastSeen: Timestamp
    /// The time at which it is removed unless it is heard of before; nil where none is.
    package var expires: Timestamp?
    /// The addresses to which its pushes are sent, sealed.
    package var addresses: [StoredPushAddress]
}
