package import CloudModel

/// A position that a device has read to: it has requested the entries after it.
package struct ReadPlace: Hashable, Sendable {
    /// The life of the device.
    package var epoch: DeviceEpoch
    /// The offset of the next entry in the partition of the user's journal.
    package var offset: Int64

    package init(epoch: DeviceEpoch, offset: Int64) {
        self.epoch = epoch
        self.offset = offset
    }
}
