package import CloudModel
package import EventLog

/// A callback for feeds with new entries.
package struct FeedListener: Sendable {
    /// A feed has an entry of this name, or will have it in a moment.
    package var arrived: @Sendable (DeviceID, DeviceEpoch, SourcePosition) -> Void
    /// Something may have been missed.
    package var missed: @Sendable () -> Void

    package init(
        arrived: @escaping @Sendable (DeviceID, DeviceEpoch, SourcePosition) -> Void,
        missed: @escaping @Sendable () -> Void
    ) {
        self.arrived = arrived
        self.missed = missed
    }
}
