package import CloudModel

/// A web courier: a device whose feed is handed out as push payloads, one at a time (docs/cloudkit.md#web-courier).
package struct StoredCourier: Hashable, Sendable {
    /// The courier's device.
    package var device: DeviceID
    /// The client that made it, which is not notified of its own changes.
    package var client: DeviceID?
    /// The environment of APNs that its client named.
    package var apnsEnvironment: APNSEnvironment
    /// The change token after the last delivered notification; nil before the first.
    package var token: String?
    /// The time at which it ends by the service clock.
    package var expires: Timestamp

    package init(
        device: DeviceID, client: DeviceID?, apnsEnvironment: APNSEnvironment, token: String? = nil, expires: Timestamp
    ) {
        self.device = device
        self.client = client
        self.apnsEnvironment = apnsEnvironment
        self.token = token
        self.expires = expires
    }
}

/// Reads of web couriers.
package protocol CourierReader {
    /// The courier that a device is; nil when it is none.
    func courier(_ device: DeviceID) throws -> StoredCourier?

    /// The couriers of a user, first the one that was heard of least recently.
    func couriers(of user: UserRecordName) throws -> [StoredCourier]

    /// Couriers that ended before a time, first the earliest.
    func endedCouriers(before time: Timestamp, limit: Int) throws -> [StoredCourier]
}

/// Writes of web couriers. One goes with its device.
package protocol CourierTransaction: CourierReader {
    /// Saves a courier in place of the old one; its device exists already.
    func save(_ courier: StoredCourier) throws
}
