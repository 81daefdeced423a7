package import CloudModel

/// A place that a device is known to have read to: it has asked for what comes after it.
package struct ReadPlace: Hashable, Sendable {
    /// The life of the device.
    package var epoch: DeviceEpoch
    /// True in the device's own feed, false in the journal.
    package var isInFeed: Bool
    /// The offset of the next entry there.
    package var offset: Int64

    package init(epoch: DeviceEpoch, isInFeed: Bool, offset: Int64) {
        self.epoch = epoch
        self.isInFeed = isInFeed
        self.offset = offset
    }
}
