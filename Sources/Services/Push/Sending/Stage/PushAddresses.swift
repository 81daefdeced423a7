package import CloudModel

/// The port of the table of registered addresses.
package protocol PushAddresses: Sendable {
    /// Keeps the addresses of a partition of `pushes` at hand, until the task is cancelled: only then can they be asked
    /// for.
    /// - Throws: when they cannot be read any more.
    func follow(_ partition: Int32) async throws

    /// The address of a device, once the table has all registrations up to a sequence: waits for it.
    /// - Returns: nil where the device has no address of the kind: it was removed, or belongs to another user.
    func address(
        of device: DeviceID, _ epoch: DeviceEpoch, _ kind: CourierKind, user: UserRecordName,
        atLeast sequence: CommitSequence
    ) async throws -> RegisteredPushAddress?

    /// Removes an address that is dead, unless another one was registered since. It may be called again for an address
    /// that is removed.
    /// - Throws: when the removal is not stored; the push is sent again then, and the provider answers again.
    func remove(
        _ address: RegisteredPushAddress, of device: DeviceID, _ epoch: DeviceEpoch, user: UserRecordName,
        for reason: PushFailure
    ) async throws

    /// Notes the outcome of the last push to an address. Some may be lost.
    func note(_ outcome: PushOutcome, of address: RegisteredPushAddress, of device: DeviceID, at time: Timestamp)

    /// Passes the noted results on, until the task is cancelled.
    func report() async
}

/// An address with the wishes of its registration.
package struct RegisteredPushAddress: Hashable, Sendable {
    /// The address.
    package var address: PushAddress
    /// The part of a notification that pushes may have.
    package var contents: PushContents
    /// The time of the registration.
    package var registered: Timestamp
    /// The sequence of the registration: a later one of the same address has another.
    package var sequence: CommitSequence

    package init(
        _ address: PushAddress, contents: PushContents = .full,
        registered: Timestamp, sequence: CommitSequence = .zero
    ) {
        self.sequence = sequence
        self.address = address
        self.contents = contents
        self.registered = registered
    }
}
