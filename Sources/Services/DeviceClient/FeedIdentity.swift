package import CloudModel

/// Whose feed is read: a device in one of its epochs, in a container's environment.
package struct FeedIdentity: Hashable, Sendable {
    package var scope: ContainerEnvironment
    package var user: UserRecordName
    package var device: DeviceID
    package var epoch: DeviceEpoch

    package init(scope: ContainerEnvironment, user: UserRecordName, device: DeviceID, epoch: DeviceEpoch) {
        self.scope = scope
        self.user = user
        self.device = device
        self.epoch = epoch
    }
}
