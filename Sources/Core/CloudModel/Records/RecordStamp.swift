/// The time at which a record was created or modified, the user and the device that did it.
package struct RecordStamp: Hashable, Sendable {
    /// The time of the save, by the service's clock.
    package var timestamp: Timestamp
    /// The user who saved.
    package var user: UserRecordName
    /// The `clientId` of the request; nil when it named none.
    package var device: DeviceID?

    package init(timestamp: Timestamp, user: UserRecordName, device: DeviceID?) {
        self.timestamp = timestamp
        self.user = user
        self.device = device
    }
}
