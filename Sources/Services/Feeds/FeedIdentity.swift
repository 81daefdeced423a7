package import CloudModel

/// The feed that is read: of a device in one of its epochs, in a container's environment.
package struct FeedIdentity: Hashable, Sendable {
    /// The container and environment.
    package var scope: ContainerEnvironment
    /// The user whose device it is.
    package var user: UserRecordName
    /// The device.
    package var device: DeviceID
    /// The life of the device; another one has another feed.
    package var epoch: DeviceEpoch
    /// A client whose changes are left out like the device's own: the client of a web courier. It is no part of change
    /// tokens.
    package var client: DeviceID?

    package init(
        scope: ContainerEnvironment, user: UserRecordName, device: DeviceID, epoch: DeviceEpoch, client: DeviceID? = nil
    ) {
        self.scope = scope
        self.user = user
        self.device = device
        self.epoch = epoch
        self.client = client
    }
}
