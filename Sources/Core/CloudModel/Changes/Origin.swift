/// The user and the device that made a change.
package struct Origin: Hashable, Sendable {
    /// The user who made the change.
    package var user: UserRecordName
    /// The `clientId` of the request; nil when it named none.
    package var device: DeviceID?
    /// The device's registration at the time of the commit; nil when the `clientId` was no registered device.
    package var epoch: DeviceEpoch?

    package init(user: UserRecordName, device: DeviceID?, epoch: DeviceEpoch?) {
        self.user = user
        self.device = device
        self.epoch = epoch
    }
}
