package import CloudModel

/// An event of delivery that is published after a while.
package struct DueDelivery: Hashable, Sendable {
    package var user: UserRecordName
    /// The time that delivery gave it, which the event repeats.
    package var at: Int64
    /// The time at which it is published, by the service's wall clock.
    package var due: Timestamp

    package init(user: UserRecordName, at: Int64, due: Timestamp) {
        self.user = user
        self.at = at
        self.due = due
    }
}

/// Reads of delivery policies: those that users chose for devices, and deliveries that will be due.
package protocol PolicyReader {
    /// The policies that the user chose for a device, encoded; nil for none.
    func policies(of device: DeviceID) throws -> [UInt8]?

    /// Deliveries, first the one that is due first.
    func dueDeliveries(limit: Int) throws -> [DueDelivery]
}

/// Writes of delivery policies.
package protocol PolicyTransaction: PolicyReader {
    /// Notes the policies that the user chose for a device, encoded; nil for none. They go with the device.
    func setPolicies(_ policies: [UInt8]?, of device: DeviceID) throws

    /// Notes a delivery; one of the same user and time stays as it is.
    func add(_ delivery: DueDelivery) throws

    /// Removes a delivery.
    func remove(_ delivery: DueDelivery) throws

    /// Removes all deliveries of a user.
    func forgetDueDeliveries(of user: UserRecordName) throws
}
