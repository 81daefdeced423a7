import CloudMessages
package import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore
import Synchronization
import Telemetry

extension RecordService {
    /// Registers a device for the caller. Again with the same ID: the same answer, nothing changes; but a device that
    /// delivery has lost is renewed.
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
        let (device, isRenewed) = try await commit(in: .user(user)) { commit in
            if let existing = try commit.transaction.device(id) {
                guard existing.device.user == user else {
                    throw CloudError(.accessDenied, "the device '\(id)' is another user's; choose another deviceID")
                }
                try commit.noteSeen(existing)
                let renewed = try self.renewLost(existing.device, commit)
                return (renewed ?? existing.device, renewed != nil)
            }
            return (try commit.addDevice(id, of: user, name: name, platform: platform), false)
        }
        if isRenewed { countRenewal(of: device) }
        return device
    }

    /// The caller's devices, by registration, with when each was last heard of and will be removed.
    package func listDevices(for caller: Caller) async throws -> [ListedDevice] {
        let user = try caller.signedIn(to: "listing devices")
        let silenceMax = options.deviceSilenceMax
        let (time, served) = (now(), try await serviceTime())
        return try await store.read { reader in
            let couriers = try reader.couriers(of: user)
            let addresses = Dictionary(grouping: try reader.pushAddresses(of: user), by: \.device)
            return try reader.devices(of: user).map { stored in
                let silent = silenceMax.map { stored.lastHeard.advanced(by: $0) }
                let ends = couriers.first { $0.device == stored.device.id }?.expires
                // By the calendar, if the service runs until then.
                let expires = [silent, ends].compactMap { $0 }.min().map {
                    Timestamp(milliseconds: time.milliseconds + $0.milliseconds - served.milliseconds)
                }
                return ListedDevice(
                    device: stored.device, lastSeen: stored.lastSeen, expires: expires,
                    addresses: addresses[stored.device.id] ?? [])
            }
        }
    }

    /// Removes one of the caller's devices: nothing more is written for it.
    package func unregisterDevice(_ id: DeviceID, for caller: Caller) async throws {
        try await commit(in: caller.part) { commit in
            _ = try Self.device(id, of: caller, commit.transaction)
            try commit.removeDevice(id)
        }
    }

    /// Marks notifications as read on one of the caller's devices; the others learn it.
    /// - Parameter changes: the changes that the notifications are about.
    package func markRead(_ changes: [CommitSequence], on id: DeviceID, for caller: Caller) async throws {
        try await commit(in: caller.part) { commit in
            let device = try commit.seenDevice(id, of: caller)
            guard !changes.isEmpty else { return }
            try commit.publish(
                .read(NotificationsRead(device: id.rawValue, changes: changes.map(\.rawValue))), of: device.user,
                at: try commit.transaction.nextSequence())
        }
    }

    /// Sets the badge on all of the caller's devices.
    package func setBadge(_ value: Int64, on id: DeviceID, for caller: Caller) async throws {
        guard value >= 0 else { throw CloudError.badRequest("badgeValue is 0 or more, not \(value)") }
        try await commit(in: caller.part) { commit in
            let device = try commit.seenDevice(id, of: caller)
            try commit.publish(
                .badge(BadgeSet(device: id.rawValue, value: value)), of: device.user,
                at: try commit.transaction.nextSequence())
        }
    }

    /// One of the caller's devices, once delivery has applied everything that the caller did with devices before:
    /// everyone reads their own writes.
    /// - Throws: `NOT_FOUND`, `ACCESS_DENIED`, and `TRY_AGAIN_LATER` when delivery is more than 10 s behind.
    package func deviceInStep(_ id: DeviceID, for caller: Caller) async throws -> Device {
        try await storedInStep(id, for: caller).device
    }

    /// The same, with when it was heard of last.
    private func storedInStep(_ id: DeviceID, for caller: Caller) async throws -> StoredDevice {
        let (stored, lastEvent) = try await store.read { reader in
            let stored = try Self.storedDevice(id, of: caller, reader)
            return (stored, try reader.lastDeviceEvent(of: stored.device.user))
        }
        try await deliveries.waitUntilApplied(lastEvent, of: stored.device.user, atMost: .seconds(10))
        guard deliveries.hasLost(stored.device),
            let renewed = try await commit(in: .user(stored.device.user), { try self.renewLost(stored.device, $0) })
        else { return stored }
        countRenewal(of: renewed)
        let event = CommitSequence(renewed.epoch.rawValue)
        try await deliveries.waitUntilApplied(event, of: renewed.user, atMost: .seconds(10))
        return try await store.read { try Self.storedDevice(id, of: caller, $0) }
    }

    /// Registers a device again, under a new epoch, if delivery has lost it.
    /// - Returns: nil if it is not lost, or was renewed too often since the last sweep.
    private func renewLost(_ device: Device, _ commit: Commit) throws -> Device? {
        guard deliveries.hasLost(device), try commit.transaction.device(device.id)?.device.epoch == device.epoch,
            renewals.withLock({ $0[device.id, default: 0] }) < Self.renewalsMax
        else { return nil }
        return try commit.renew(device.id)
    }

    /// Counts a renewal that is committed.
    private func countRenewal(of device: Device) {
        renewals.withLock { $0[device.id, default: 0] += 1 }
    }

    /// Renewals of one device between two sweeps, each of which writes an event.
    private static let renewalsMax = 10

    /// One of the caller's devices in step, which is heard of by asking for its feed.
    /// - Parameter token: the change token of the device that it asks with; nil at the start. Called where it is noted.
    package func deviceThatReads(
        _ id: DeviceID, for caller: Caller, at token: @Sendable (Device) -> String?
    ) async throws -> Device {
        do {
            let stored = try await storedInStep(id, for: caller)
            try await noteSeen(stored, token(stored.device))
            return stored.device
        } catch let error as CloudError where error.code == .tryAgainLater {
            // The device has spoken, though its feed cannot be read at present.
            let stored = try await store.read { try Self.storedDevice(id, of: caller, $0) }
            try await noteSeen(stored, stored.token)
            throw error
        }
    }

    /// Returns the badge of one of the caller's devices, never older than a notification that the device has read.
    /// Stage 2 commits badges after it has written feeds, so this waits until everything in the user's partition of
    /// `deliveries` is committed, and hits that were held for a backfill are delivered.
    /// - Throws: as `deviceInStep` does.
    package func badge(of id: DeviceID, for caller: Caller) async throws -> Int64 {
        let device = try await deviceInStep(id, for: caller)
        let partition = layout.deliveries(of: device.user)
        if let end = try await log?.bounds(of: [partition])[partition]?.end {
            try await deliveries.waitUntilApplied(partition, to: end, atMost: .seconds(10))
            try await deliveries.waitUntilReleased(device.user, atMost: .seconds(10))
        }
        return deliveries.badge(of: device)
    }

    /// Notes that a device was heard of, at most once a minute: a write for every poll would be too much.
    package func noteSeen(_ device: Device) async throws {
        let stored = try await store.read { try $0.device(device.id) }
        guard let stored, stored.device.epoch == device.epoch else { return }
        try await noteSeen(stored, nil)
    }

    /// - Parameter time: by the service clock.
    fileprivate static func isToBeNoted(_ stored: StoredDevice, at time: Timestamp) -> Bool {
        time.milliseconds - stored.lastHeard.milliseconds >= 60_000
    }

    private func noteSeen(_ device: StoredDevice, _ token: @autoclosure () -> String?) async throws {
        let (time, served) = (now(), try await serviceTime())
        guard Self.isToBeNoted(device, at: served) else { return }
        let noted = token()
        try await store.write(in: .user(device.device.user)) { transaction in
            // Another request may have noted it meanwhile, or the device be another one.
            guard var stored = try transaction.device(device.device.id), stored.device.epoch == device.device.epoch,
                Self.isToBeNoted(stored, at: served)
            else { return }
            (stored.lastSeen, stored.lastHeard) = (time, served)
            stored.token = noted
            try transaction.save(stored)
        }
    }

    /// Registers devices again that delivery has lost, under new epochs. They may be lost again until the next sweep.
    func renewLostDevices() async throws {
        renewals.withLock { $0 = [:] }
        let count = try await renewDevices(where: deliveries.hasLost)
        guard count > 0 else { return }
        Log.warning("devices.lost.renewed", ["scope": "\(layout.scope)", "count": count])
    }

    /// Registers devices again, under new epochs, some at a time.
    /// - Returns: their number.
    func renewDevices(where isWanted: (Device) -> Bool) async throws -> Int {
        var count = 0
        var last: DeviceID?
        while true {
            let after = last
            let stored = try await store.read { try $0.devices(after: after, limit: StoreRepair.step) }
            guard let end = stored.last else { return count }
            last = end.device.id
            let wanted = stored.map(\.device).filter(isWanted)
            guard !wanted.isEmpty else { continue }
            try await commit(in: .whole) { commit in
                for device in wanted { _ = try commit.renew(device.id) }
            }
            count += wanted.count
        }
    }

    /// Removes devices that were silent for longer than the setting `device-silence-days-max`, some at a time: by the
    /// service clock, so that only time counts in which they could have been heard of. `devices/list` announces it.
    package func removeSilentDevices() async throws {
        guard let silenceMax = options.deviceSilenceMax else { return }
        let limit = try await serviceTime().advanced(by: .zero - silenceMax)
        let found = try await store.read { try $0.silentDevices(before: limit, limit: Self.silentDevicesMax) }
        let silent = try await withoutReaders(found)
        guard !silent.isEmpty else { return }
        let count = try await commit(in: .whole) { commit in
            var count = 0
            for found in silent {
                // It may have been used, or registered again, since.
                guard let stored = try commit.transaction.device(found.device.id),
                    stored.device.epoch == found.device.epoch, stored.lastHeard < limit
                else { continue }
                try commit.removeDevice(stored.device.id)
                count += 1
            }
            return count
        }
        Self.silentDevicesRemoved.increment(by: count)
        Log.info("devices.silent.removed", ["count": count])
    }

    /// Notes devices whose feeds are read from Kafka as heard of: their readers' group has a committed offset there, which
    /// Kafka forgets some days after the last reader has left (`offsets.retention.minutes`).
    /// - Returns: the others.
    private func withoutReaders(_ devices: [StoredDevice]) async throws -> [StoredDevice] {
        guard let log else { return devices }
        var silent: [StoredDevice] = []
        for stored in devices {
            let device = stored.device
            let (group, partitions) = layout.readers(of: device.id, device.epoch, device.user)
            if try await log.committedOffsets(of: group, partitions)?.isEmpty ?? true {
                silent.append(stored)
            } else {
                try await noteSeen(stored, stored.token)
            }
        }
        return silent
    }

    /// Devices that are removed at once.
    private static let silentDevicesMax = 1000
    static let silentDevicesRemoved = Counter(
        "fanfare_record_service_silent_devices_total", "Devices that were removed as they had been silent for too long."
    )

    private static func device(_ id: DeviceID, of caller: Caller, _ reader: some StoreReader) throws -> Device {
        try storedDevice(id, of: caller, reader).device
    }

    static func storedDevice(
        _ id: DeviceID, of caller: Caller, _ reader: some StoreReader
    ) throws -> StoredDevice {
        let user = try caller.signedIn(to: "a device")
        guard let stored = try reader.device(id) else {
            throw CloudError(.notFound, "there is no device '\(id)'; register it first")
        }
        guard stored.device.user == user else {
            throw CloudError(.accessDenied, "the device '\(id)' is another user's")
        }
        return stored
    }
}

extension Commit {
    /// One of the caller's devices, which is heard of by this.
    func seenDevice(_ id: DeviceID, of caller: Caller) throws -> Device {
        let stored = try RecordService.storedDevice(id, of: caller, transaction)
        try noteSeen(stored)
        return stored.device
    }

    /// Notes that a device was heard of, at most once a minute.
    fileprivate func noteSeen(_ device: StoredDevice) throws {
        guard RecordService.isToBeNoted(device, at: serviceTime) else { return }
        var device = device
        (device.lastSeen, device.lastHeard) = (time, serviceTime)
        try transaction.save(device)
    }
}
