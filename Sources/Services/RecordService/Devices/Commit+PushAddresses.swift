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
        guard let device = try transaction.device(address.device)?.device else { return }
        try transaction.removePushAddress(address.kind, of: address.device)
        try retract(address, of: device)
        try note(address.kind, since: .zero, of: device)
    }

    /// Publishes an address under its sequence.
    func publish(_ address: StoredPushAddress, of device: Device) throws {
        try append(
            .pushAddresses, address.sequence, layout.pushAddressKey(device.user, device.id, address.kind),
            PushAddressEntry(address, of: device, in: store).encoded())
    }

    /// Publishes that an address is gone; its row is removed with it.
    func retract(_ address: StoredPushAddress, of device: Device) throws {
        try append(
            .pushAddresses, try transaction.nextSequence(),
            layout.pushAddressKey(device.user, device.id, address.kind), nil)
    }

    /// Publishes an address again, under a new sequence.
    func republish(_ address: StoredPushAddress, of device: Device) throws {
        var address = address
        address.sequence = try transaction.nextSequence()
        try transaction.save(address)
        try publish(address, of: device)
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
