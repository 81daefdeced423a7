package import CloudModel

/// The address to which a device's pushes of one kind are sent, sealed.
package struct StoredPushAddress: Hashable, Sendable {
    /// The device, which is of that user.
    package var device: DeviceID
    /// The kind of courier: a device has at most one address of each.
    package var kind: CourierKind
    /// A code that is equal for equal addresses and is of no use without the key ring.
    package var code: [UInt8]
    /// The address itself.
    package var sealed: [UInt8]
    /// The part of a notification that its pushes may have.
    package var contents: PushContents
    /// The sequence of its last entry in `push-addresses`.
    package var sequence: CommitSequence
    /// The sequence since which delivery knows the device to have this kind.
    package var since: CommitSequence
    /// The time at which it was registered.
    package var registered: Timestamp
    /// The time of the last push that its provider took; nil before the first.
    package var lastSuccess: Timestamp?
    /// The status with which its provider took it; nil where it is not known.
    package var lastSuccessStatus: Int?
    /// The last push that failed, with a word for the reason; nil while none has.
    package var lastFailure: Failure?

    /// A push that failed.
    package struct Failure: Hashable, Sendable {
        package var time: Timestamp
        /// The status of the answer; nil where none came.
        package var status: Int?
        /// A word of a closed set, as in `PushFailure`.
        package var reason: String

        package init(time: Timestamp, status: Int? = nil, reason: String) {
            self.time = time
            self.status = status
            self.reason = reason
        }
    }

    package init(
        device: DeviceID, kind: CourierKind, code: [UInt8], sealed: [UInt8], contents: PushContents,
        sequence: CommitSequence, registered: Timestamp, lastSuccess: Timestamp? = nil, lastFailure: Failure? = nil
    ) {
        self.device = device
        self.kind = kind
        self.code = code
        self.sealed = sealed
        self.contents = contents
        self.sequence = sequence
        since = sequence
        self.registered = registered
        self.lastSuccess = lastSuccess
        self.lastFailure = lastFailure
    }
}

/// Reads of addresses of pushes.
package protocol PushAddressReader {
    /// The addresses of a device, by kind.
    func pushAddresses(of device: DeviceID) throws -> [StoredPushAddress]

    /// The addresses of all devices of a user, by device and kind.
    func pushAddresses(of user: UserRecordName) throws -> [StoredPushAddress]

    /// The address with a code; nil when there is none.
    func pushAddress(code: [UInt8]) throws -> StoredPushAddress?

    /// The addresses of the next devices after one that have some: at most `limit` devices, in the order of their IDs.
    func pushAddresses(after device: DeviceID?, limit: Int) throws -> [StoredPushAddress]
}

/// Writes of addresses of pushes. They go with their device.
package protocol PushAddressTransaction: PushAddressReader {
    /// Saves an address in place of the device's old one of the kind; its device exists already, and no other address
    /// has its code.
    func save(_ address: StoredPushAddress) throws

    /// Removes the address of a kind.
    func removePushAddress(_ kind: CourierKind, of device: DeviceID) throws
}
