/// A registered device of a user.
package struct Device: Hashable, Sendable {
    package var id: DeviceID
    package var user: UserRecordName
    package var epoch: DeviceEpoch
    package var name: String
    package var platform: String
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
