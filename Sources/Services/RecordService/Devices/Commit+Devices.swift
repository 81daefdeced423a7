import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

extension Commit {
    /// Registers a device that is not there.
    /// - Parameter courier: the kind of courier that pushes to it; nil for none.
    func addDevice(
        _ id: DeviceID, of user: UserRecordName, name: String, platform: String, courier: CourierKind? = nil
    ) throws -> Device {
        guard try transaction.devices(of: user).count < Limits.devicesPerUserMax else {
            throw CloudError.exceeded(
                ExceededLimit("devicesPerUserMax", Limits.devicesPerUserMax, of: .number),
                "a user has at most \(Limits.devicesPerUserMax) devices; unregister some first")
        }
        try takeRegistration(of: user)
        let sequence = try transaction.nextSequence()
        let device = Device(
            id: id, user: user, epoch: DeviceEpoch(sequence.rawValue), name: name, platform: platform, registered: time)
        try transaction.save(StoredDevice(device: device, lastSeen: time, lastHeard: serviceTime))
        let event = DeviceRegistered(
            device: id.rawValue, epoch: sequence.rawValue, name: name, platform: platform,
            courier: courier?.rawValue ?? "")
        try publish(.registered(event), of: user, at: sequence)
        return device
    }

    /// Counts a registration of a device, a web courier or an address against the user's rate.
    func takeRegistration(of user: UserRecordName) throws {
        guard
            let seconds = try transaction.takeRegistration(
                of: user, burst: Limits.registrationsBurst, secondsEach: Limits.registrationSecondsEach,
                at: serviceTime)
        else { return }
        throw CloudError(
            .throttled,
            "too many new devices, web couriers and addresses of pushes: after \(Limits.registrationsBurst) at once, one each \(Limits.registrationSecondsEach) seconds; keep the deviceID, or the address of the web courier, for as long as it is good",
            retryAfterSeconds: seconds)
    }

    /// Removes a device, if it is there, with its addresses.
    func removeDevice(_ id: DeviceID) throws {
        guard let device = try transaction.device(id)?.device else { return }
        for address in try transaction.pushAddresses(of: id) { try retract(address, of: device) }
        let sequence = try transaction.nextSequence()
        try transaction.deleteDevice(id)
        try publish(
            .unregistered(DeviceUnregistered(device: id.rawValue, epoch: device.epoch.rawValue)), of: device.user,
            at: sequence)
    }
}
