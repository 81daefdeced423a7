package import CloudModel

/// A position that a device has read to: it has requested the entries after it.
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
