/// A registered device of a user.
package struct Device: Hashable, Sendable {
    /// The identifier that the device chose, unique in its container and environment.
    package var id: DeviceID
    /// The user whose device it is.
    package var user: UserRecordName
    /// The life that its registration began; to be registered after a removal begins another.
    package var epoch: DeviceEpoch
    /// The name that its user gave it; for people only.
    package var name: String
    /// The system that it runs; for people only.
    package var platform: String
    /// The time at which this epoch began.
    package var registered: Timestamp

    package init(
        id: DeviceID, user: UserRecordName, epoch: DeviceEpoch, name: String, platform: String, registered: Timestamp
    ) {
        self.id = id
        self.user = user
        self.epoch = epoch
        self.name = name
        self.platform = platform
        self.registered = registered
    }
}
