import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore

extension Commit {
    /// Registers an address for a device, in place of its old one of the kind. Another device that has the address
    /// loses it. The same once more changes nothing.
    func setAddress(
        _ address: PushAddress, _ contents: PushContents, of device: Device, _ seals: PushAddressSeals
    ) throws {
        let former = try transaction.pushAddresses(of: device.id).first { $0.kind == address.kind }
        if let former, former.contents == contents,
            let known = try? seals.open(former.sealed, of: device.user, device.id, former.kind), known.isCurrent,
            known.address == address
        {
            return
        }
        guard try !isBlocked(device.user) else {
            throw CloudError(.accessDenied, "this user is blocked here; ask the operator of the service")
        }
        try takeRegistration(of: device.user)
        let codes = seals.codes(of: address, of: device.user, device.id)
        for code in codes {
            if let other = try transaction.pushAddress(code: code), other.device != device.id {
                try removeAddress(other)
            }
        }
        let count = try transaction.pushAddresses(of: device.user).count
        guard former != nil || count < Limits.pushAddressesPerUserMax else {
            throw CloudError.exceeded(
                ExceededLimit("pushAddressesPerUserMax", Limits.pushAddressesPerUserMax, of: .number),
                "a user has at most \(Limits.pushAddressesPerUserMax) addresses of pushes; remove some first")
        }
        let stored = StoredPushAddress(
            device: device.id, kind: address.kind, code: codes[0],
            sealed: seals.seal(address, of: device.user, device.id), contents: contents,
            sequence: try transaction.nextSequence(), registered: time)
        try transaction.save(stored)
        try publish(stored, of: device)
        try note(stored.kind, since: stored.since, of: device)
    }

    /// Removes an address, from whichever device has it.
    func removeAddress(_ address: StoredPushAddress) throws {
        guard try transaction.device(address.device) != nil else { return }
        try transaction.removePushAddress(address.kind, of: address.device)
        try withdraw(address)
    }

    /// Ends the pushes to an address, whether its row stays or not: the event keeps changes that are committed from now
    /// on from being pushed, and the removal from the topic drops pushes that wait.
    func withdraw(_ address: StoredPushAddress) throws {
        guard let device = try transaction.device(address.device)?.device else { return }
        try retract(address, of: device)
        try note(address.kind, since: .zero, of: device)
    }

    /// Publishes an address again as one that is registered now. A blocked user's is withdrawn.
    func restore(_ address: StoredPushAddress) throws {
        guard let device = try transaction.device(address.device)?.device else { return }
        guard try !isBlocked(device.user) else { return try withdraw(address) }
        var address = address
        address.sequence = try transaction.nextSequence()
        address.since = address.sequence
        try transaction.save(address)
        try publish(address, of: device)
        try note(address.kind, since: address.since, of: device)
    }

    /// Returns true for a user whose addresses are in the store alone.
    func isBlocked(_ user: UserRecordName) throws -> Bool { try transaction.account(of: user)?.isBlocked == true }

    /// Publishes an address under its sequence.
    func publish(_ address: StoredPushAddress, of device: Device) throws {
        try append(
            .pushAddresses, address.sequence, layout.pushAddressKey(device.user, device.id, address.kind),
            PushAddressEntry(address, of: device, in: store).encoded())
    }

    /// Publishes that an address is gone.
    func retract(_ address: StoredPushAddress, of device: Device) throws {
        try append(
            .pushAddresses, try transaction.nextSequence(),
            layout.pushAddressKey(device.user, device.id, address.kind), nil)
    }

    /// Saves an address and publishes it again, under a new sequence. A blocked user's is published as gone.
    func republish(_ address: StoredPushAddress, of device: Device) throws {
        var address = address
        address.sequence = try transaction.nextSequence()
        try transaction.save(address)
        if try isBlocked(device.user) { try retract(address, of: device) } else { try publish(address, of: device) }
    }

    /// Publishes that a device has a kind of courier since a sequence; zero: that it has it no more.
    func note(_ kind: CourierKind, since: CommitSequence, of device: Device) throws {
        let event = CourierChanged(
            device: device.id.rawValue, epoch: device.epoch.rawValue, courier: kind.rawValue, since: since.rawValue)
        try publish(.courierChanged(event), of: device.user, at: try transaction.nextSequence())
    }
}

extension PushAddressEntry {
    /// An address as the topic `push-addresses` has it.
    /// - Parameter store: the store's incarnation.
    init(_ address: StoredPushAddress, of device: Device, in store: UInt64) {
        self.init(
            source: SourcePositionMessage(SourcePosition(source: .store(store), offset: address.sequence.rawValue)),
            user: device.user.rawValue, device: device.id.rawValue, epoch: device.epoch.rawValue,
            kind: address.kind.rawValue, contents: address.contents.rawValue,
            registered: address.registered.milliseconds, sealed: address.sealed)
    }
}
