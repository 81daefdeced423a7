package import CloudModel
package import EventLog

/// A notification for one device that a courier pushes to.
package struct Push: Sendable {
    /// The name of the notification, the same as in the device's feed.
    package let source: SourcePosition
    /// The kind of courier that pushes to the device.
    package let courier: CourierKind
    /// The sequence of `push-addresses` since which the device has an address of that kind; nil for a kind without.
    package let since: CommitSequence?
    /// The device.
    package let device: DeviceID
    /// The life of the device.
    package let epoch: DeviceEpoch
    /// The client that made the change, where it is of the same user. It is never the device itself.
    package let origin: DeviceID?
    /// The content, with the badge of the device.
    package let notification: Notification
}
