import CloudMessages
package import CloudModel
package import EventLog
import ProtocolBuffers

/// The addresses in one partition of `push-addresses`, which are those of the devices that the partition of `pushes` of
/// the same number names. Pure: it is given the partition's entries in order. Addresses stay sealed until they are asked
/// for; those asked for last stay open, as a push asks twice.
package struct PushAddressTable: Sendable {
    /// A device's address of one kind.
    package struct Registered: Hashable, Sendable {
        /// The address.
        package var address: PushAddress
        /// The part of a notification that its pushes may have.
        package var contents: PushContents
        /// The sequence of its entry: that of a target or a later one.
        package var sequence: CommitSequence
        /// The time at which it was registered.
        package var registered: Timestamp
    }

    /// Opens a sealed address.
    package typealias Open = @Sendable ([UInt8], UserRecordName, DeviceID, CourierKind) throws -> PushAddress

    private struct Place: Hashable {
        var device: DeviceID
        var kind: CourierKind
    }

    /// Addresses that stay open.
    static let openMax = 10_000

    private let open: Open
    private var opened: [Place: PushAddress] = [:]
    private var entries: [Place: PushAddressEntry] = [:]
    private var store: UInt64 = 0
    private var reached = CommitSequence.zero

    /// - Parameter open: opens the bytes that the record service sealed for a user, device and kind.
    package init(open: @escaping Open) { self.open = open }

    /// Takes the next entry.
    /// - Throws: `MalformedMessage`, `MessageError` for an entry that cannot be read; nothing has changed then.
    package mutating func take(_ entry: LogEntry) throws {
        guard let key = entry.key else { throw MalformedMessage("an address without a key") }
        if key == TopicLayout.reachedKey {
            guard let value = entry.value else { return }
            let message = try ReachedMessage(decoding: value)
            return note(CommitSequence(message.sequence), of: message.store)
        }
        // Keys of readers.
        if key.first == UInt8(ascii: "#") { return }
        guard let (user, device, kind) = TopicLayout.pushAddress(ofKey: key) else {
            throw MalformedMessage("an address under the key of something else")
        }
        let place = Place(device: device, kind: kind)
        guard let value = entry.value else {
            let name = OperatorHeaders.pushAddressName(of: entry)
            // A device that another user has registered meanwhile keeps that user's.
            if entries[place]?.user == user.rawValue, !isNewer(place, than: name) {
                (entries[place], opened[place]) = (nil, nil)
            }
            return
        }
        let message = try PushAddressEntry(decoding: value)
        guard let source = message.source?.position, message.user == user.rawValue,
            message.device == device.rawValue, message.kind == kind.rawValue
        else { throw MalformedMessage("an address under the key of another one") }
        if isNewer(place, than: source) { return }
        (entries[place], opened[place]) = (message, nil)
        note(CommitSequence(source.offset), of: source.source.incarnation)
    }

    /// True if the table has everything up to a sequence: before that it cannot say that a device has no address.
    package func hasReached(_ sequence: CommitSequence) -> Bool { reached >= sequence }

    /// The address of a device's life; nil if it has none of the kind.
    /// - Throws: the error of `open` where the key ring is not the one of the store, or the entry was changed or moved.
    package func address(of device: DeviceID, _ epoch: DeviceEpoch, _ kind: CourierKind) throws -> Registered? {
        let place = Place(device: device, kind: kind)
        guard let entry = entries[place], entry.epoch == epoch.rawValue else { return nil }
        let address = try opened[place] ?? open(entry.sealed, UserRecordName(trusted: entry.user), device, kind)
        return Registered(
            address: address, contents: PushContents(rawValue: entry.contents) ?? .none,
            sequence: CommitSequence(entry.source?.offset ?? 0),
            registered: Timestamp(milliseconds: entry.registered))
    }

    /// The same, and the address stays open until it is replaced or removed.
    mutating func openAddress(of device: DeviceID, _ epoch: DeviceEpoch, _ kind: CourierKind) throws -> Registered? {
        let found = try address(of: device, epoch, kind)
        if let found {
            if opened.count >= Self.openMax { opened = [:] }
            opened[Place(device: device, kind: kind)] = found.address
        }
        return found
    }

    /// The number of addresses.
    package var count: Int { entries.count }

    /// Returns true if a device has a later registration than an event of the same store: a relay publishes its last
    /// rows again at each start, and these come behind what replaced them.
    private func isNewer(_ place: Place, than name: SourcePosition?) -> Bool {
        guard let name, let known = entries[place]?.source?.position else { return false }
        return known.source == name.source && known.offset > name.offset
    }

    /// Sequences of another store, as after a repair, are counted by themselves.
    private mutating func note(_ sequence: CommitSequence, of incarnation: UInt64) {
        reached = store == incarnation ? max(reached, sequence) : sequence
        store = incarnation
    }
}
