import CloudMessages
package import CloudModel
import RecordStore

extension StoreRepair {
    /// Registers devices again that only the store knows, and removes those that only delivery knows.
    /// - Parameter delivered: what delivery writes to.
    /// - Returns: the numbers of devices that were registered and removed.
    package func compareDevices(
        with delivered: [(user: UserRecordName, device: DeviceID, epoch: DeviceEpoch)]
    ) async throws -> (registered: Int, removed: Int) {
        let lives = Set(delivered.map { DeliveryProgress.DeviceLife(device: $0.device, epoch: $0.epoch) })
        let registered = try await service.renewDevices { device in
            !lives.contains(DeliveryProgress.DeviceLife(device: device.id, epoch: device.epoch))
        }
        var removed = 0
        for one in delivered {
            let isKnown = try await service.store.read { try $0.device(one.device) } != nil
            // A device under a new epoch takes the place of its former one by itself.
            if isKnown { continue }
            try await service.commit(in: .whole) { commit in
                let event = DeviceUnregistered(device: one.device.rawValue, epoch: one.epoch.rawValue)
                try commit.publish(.unregistered(event), of: one.user, at: try commit.transaction.nextSequence())
            }
            removed += 1
        }
        try await publishAll()
        return (registered, removed)
    }

    /// Sends delivery the addresses' kinds, which may have been lost with `deliveries`, and an event without effect for
    /// each user with devices: reads wait until the last one is applied.
    private func publishAll() async throws {
        var last: DeviceID?
        while true {
            let after = last
            let stored = try await service.store.read { try $0.devices(after: after, limit: step) }
            guard let end = stored.last else { return }
            last = end.device.id
            let users = Set(stored.map(\.device.user)).sorted()
            try await service.commit(in: .whole) { commit in
                for device in stored.map(\.device) {
                    for address in try commit.transaction.pushAddresses(of: device.id) {
                        let since = try commit.isBlocked(device.user) ? .zero : address.since
                        try commit.note(address.kind, since: since, of: device)
                    }
                }
                for user in users {
                    let event = NotificationsRead(device: "", changes: [])
                    try commit.publish(.read(event), of: user, at: try commit.transaction.nextSequence())
                }
            }
        }
    }

    /// Registers all devices again, under new epochs.
    /// - Returns: their number.
    package func renewDevices() async throws -> Int { try await service.renewDevices { _ in true } }
}

extension Commit {
    /// Registers a device again, under a new epoch: its feed starts again.
    /// - Returns: nil if it is not there.
    func renew(_ id: DeviceID) throws -> Device? {
        guard var stored = try transaction.device(id) else { return nil }
        let sequence = try transaction.nextSequence()
        stored.device.epoch = DeviceEpoch(sequence.rawValue)
        try transaction.save(stored)
        var kind = ""
        if var courier = try transaction.courier(id) {
            // Its place was in the former feed.
            courier.token = nil
            try transaction.save(courier)
            kind = CourierKind.web.rawValue
        }
        let device = stored.device
        let event = DeviceRegistered(
            device: id.rawValue, epoch: sequence.rawValue, name: device.name, platform: device.platform, courier: kind)
        try publish(.registered(event), of: device.user, at: sequence)
        for address in try transaction.pushAddresses(of: id) { try restore(address) }
        try republishPolicies(of: device)
        return device
    }

    /// Publishes a version of a subscription under a key that it has already, or removes it.
    func republish(_ key: [UInt8], _ event: [UInt8]?) throws {
        try append(.subscriptions, try transaction.nextSequence(), key, event)
    }

    /// Holds all later changes until matchers have read the removals of this commit: a removed subscription must not
    /// fire on them. A removal is repeated as the last subscription event, which is the one that changes wait for.
    func hold(behind key: [UInt8]) throws {
        try append(.subscriptions, try transaction.nextSequence(), key, nil)
    }
}
