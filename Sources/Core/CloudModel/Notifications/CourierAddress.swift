/// The device that a courier's token leads to.
package struct CourierAddress: Hashable, Sendable {
    /// The user whose device it is.
    package let user: UserRecordName
    /// The device.
    package let device: DeviceID
    /// The life of the device that the token was made for.
    package let epoch: DeviceEpoch
    /// The time at which the token ends.
    package let expires: Timestamp

    package init(user: UserRecordName, device: DeviceID, epoch: DeviceEpoch, expires: Timestamp) {
        self.user = user
        self.device = device
        self.epoch = epoch
        self.expires = expires
    }
}
