import CloudMessages
package import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore

extension RecordService {
    /// Registers a device for the caller. Again with the same ID: the same answer, nothing changes.
    /// - Parameter id: nil lets the server make one.
    package func registerDevice(
        _ id: DeviceID?, name: String, platform: String, for caller: Caller
    ) async throws -> Device {
        let user = try caller.signedIn(to: "registering a device")
        // Scalars, as one character may have any number of accents, and the event has to fit into a message.
        for text in [name, platform] where text.unicodeScalars.count > Limits.deviceNameCharactersMax {
            throw CloudError.badRequest(
                "a device's name and platform have at most \(Limits.deviceNameCharactersMax) characters")
        }
        let id = id ?? DeviceID(trusted: UniqueName.make())
        let time = now()
        return try await commit { [self] transaction in
            if let existing = try transaction.device(id) {
                guard existing.device.user == user else {
                    throw CloudError(.accessDenied, "the device '\(id)' is another user's; choose another deviceID")
                }
                return existing.device
            }
            return try addDevice(id, of: user, name: name, platform: platform, at: time, transaction)
        }
    }

    /// Registers a device that is not there.
    /// - Parameter courier: the kind of courier that pushes to it; nil for none.
    func addDevice(
        _ id: DeviceID, of user: UserRecordName, name: String, platform: String, courier: CourierKind? = nil,
        at time: Timestamp, _ transaction: any StoreTransaction
    ) throws -> Device {
        guard try transaction.devices(of: user).count < Limits.devicesPerUserMax else {
            throw CloudError(
                .quotaExceeded, "a user has at most \(Limits.devicesPerUserMax) devices; unregister some first")
        }
        if let seconds = try transaction.takeRegistration(
            of: user, burst: Limits.registrationsBurst, secondsEach: Limits.registrationSecondsEach, at: time)
        {
            throw CloudError(
                .throttled,
                "too many new devices and web couriers: after \(Limits.registrationsBurst) at once, one each \(Limits.registrationSecondsEach) seconds; keep the deviceID, or the address of the web courier, for as long as it is good",
                retryAfterSeconds: seconds)
        }
        let sequence = try transaction.nextSequence()
        let device = Device(
            id: id, user: user, epoch: DeviceEpoch(sequence.rawValue), name: name, platform: platform, registered: time)
        try transaction.save(StoredDevice(device: device, lastSeen: time))
        let event = DeviceRegistered(
            device: id.rawValue, epoch: sequence.rawValue, name: name, platform: platform,
            courier: courier?.rawValue ?? "")
        try publish(.registered(event), sequence, user, time, transaction)
        return device
    }

    /// Removes a device, if it is there.
    func removeDevice(_ id: DeviceID, at time: Timestamp, _ transaction: any StoreTransaction) throws {
        guard let device = try transaction.device(id)?.device else { return }
        let sequence = try transaction.nextSequence()
        try transaction.deleteDevice(id)
        try publish(
            .unregistered(DeviceUnregistered(device: id.rawValue, epoch: device.epoch.rawValue)), sequence, device.user,
            time, transaction)
    }

    /// The caller's devices, by registration, with when each was last heard of.
    package func listDevices(for caller: Caller) async throws -> [(device: Device, lastSeen: Timestamp)] {
        let user = try caller.signedIn(to: "listing devices")
        return try await store.read { try $0.devices(of: user) }.map { ($0.device, $0.lastSeen) }
    }

    /// Removes one of the caller's devices: nothing more is written for it.
    package func unregisterDevice(_ id: DeviceID, for caller: Caller) async throws {
        let time = now()
        try await commit { [self] transaction in
            _ = try Self.device(id, of: caller, transaction)
            try removeDevice(id, at: time, transaction)
        }
    }

    /// Marks notifications as read on one of the caller's devices; the others learn it.
    /// - Parameter changes: the changes that the notifications are about.
    package func markRead(_ changes: [CommitSequence], on id: DeviceID, for caller: Caller) async throws {
        let time = now()
        try await commit { [self] transaction in
            let device = try Self.device(id, of: caller, transaction)
            guard !changes.isEmpty else { return }
            let sequence = try transaction.nextSequence()
            try publish(
                .read(NotificationsRead(device: id.rawValue, changes: changes.map(\.rawValue))), sequence, device.user,
                time, transaction)
        }
    }

    /// Sets the badge on all of the caller's devices.
    package func setBadge(_ value: Int64, on id: DeviceID, for caller: Caller) async throws {
        guard value >= 0 else { throw CloudError.badRequest("badgeValue is 0 or more, not \(value)") }
        let time = now()
        try await commit { [self] transaction in
            let device = try Self.device(id, of: caller, transaction)
            let sequence = try transaction.nextSequence()
            try publish(
                .badge(BadgeSet(device: id.rawValue, value: value)), sequence, device.user, time, transaction)
        }
    }

    /// One of the caller's devices, once delivery has applied everything that the caller did with devices before:
    /// everyone reads their own writes.
    /// - Throws: `NOT_FOUND`, `ACCESS_DENIED`, and `TRY_AGAIN_LATER` when delivery is more than 10 s behind.
    package func deviceInStep(_ id: DeviceID, for caller: Caller) async throws -> Device {
        let (device, lastEvent) = try await store.read { reader in
            let device = try Self.device(id, of: caller, reader)
            return (device, try reader.lastDeviceEvent(of: device.user))
        }
        try await deliveries.waitUntilApplied(lastEvent, of: device.user, atMost: .seconds(10))
        return device
    }

    /// The badge of one of the caller's devices.
    package func badge(of id: DeviceID, for caller: Caller) async throws -> Int64 {
        let device = try await deviceInStep(id, for: caller)
        return deliveries.badge(of: device)
    }

    /// Notes that a device was heard of, at most once a minute: a write for every poll would be too much.
    package func noteSeen(_ device: Device) async throws {
        let time = now()
        let stored = try await store.read { try $0.device(device.id) }
        guard let stored, stored.device.epoch == device.epoch,
            time.milliseconds - stored.lastSeen.milliseconds >= 60_000
        else { return }
        try await store.write { transaction in
            guard var stored = try transaction.device(device.id), stored.device.epoch == device.epoch else { return }
            stored.lastSeen = time
            try transaction.save(stored)
        }
    }

    private static func device(_ id: DeviceID, of caller: Caller, _ reader: some StoreReader) throws -> Device {
        let user = try caller.signedIn(to: "a device")
        guard let stored = try reader.device(id) else {
            throw CloudError(.notFound, "there is no device '\(id)'; register it first")
        }
        guard stored.device.user == user else {
            throw CloudError(.accessDenied, "the device '\(id)' is another user's")
        }
        return stored.device
    }

    private func publish(
        _ event: DeliveryEntry.Event, _ sequence: CommitSequence, _ user: UserRecordName, _ time: Timestamp,
        _ transaction: any StoreTransaction
    ) throws {
        let source = SourcePosition(source: .store(store.incarnation), offset: sequence.rawValue)
        let entry = DeliveryEntry(
            source: SourcePositionMessage(source), user: user.rawValue, time: time.milliseconds, event: event)
        try transaction.append(
            OutboxRow(
                sequence: sequence, destination: .deliveries, key: layout.userKey(user), value: entry.encoded(),
                time: time))
        try transaction.noteDeviceEvent(of: user, sequence)
    }
}
