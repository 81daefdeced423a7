import CloudMessages
import CloudModel
import Cryptography
import EventLog
import ProtocolBuffers
import Synchronization
import Testing

@testable import Push

/// The table of addresses of a partition.
@Suite struct PushAddressTableTests {
    /// A key that seals for a place, as the record service does.
    private static let key = StorageKey(.generate(), purpose: "test")
    private let phone = DeviceID(trusted: "phone")
    private let address = PushAddress.apns(
        APNSAddress(token: [UInt8](repeating: 9, count: 32), environment: .development))

    private static let open: PushAddressTable.Open = { sealed, user, device, kind in
        try PushAddressMessage(decoding: key.open(sealed, for: "\(user)/\(device)/\(kind)")).pushAddress()
    }

    private func entry(_ key: [UInt8]?, _ value: [UInt8]?) -> LogEntry {
        LogEntry(offset: 0, timestamp: LogTimestamp(milliseconds: 1), key: key, value: value, headers: [])
    }

    private func key(_ user: UserRecordName = Pushed.user) -> [UInt8] {
        Pushed.layout.pushAddressKey(user, phone, .apns)
    }

    private func registered(
        _ sequence: Int64, epoch: Int64 = 3, store: UInt64 = 1, _ user: UserRecordName = Pushed.user
    ) -> LogEntry {
        let source = SourcePosition(source: .store(store), offset: sequence)
        let message = PushAddressEntry(
            source: SourcePositionMessage(source), user: user.rawValue, device: "phone", epoch: epoch, kind: "apns",
            contents: "none", registered: 77,
            sealed: Self.key.seal(PushAddressMessage(address).encoded(), for: "\(user)/phone/apns"))
        return entry(key(user), message.encoded())
    }

    private func removed(_ sequence: Int64, store: UInt64 = 1) -> LogEntry {
        var entry = entry(key(), nil)
        entry.headers = OperatorHeaders.make(
            type: "push-address", source: "\(SourceID.store(store))", id: "\(sequence)")
        return entry
    }

    private func reached(_ sequence: Int64, store: UInt64 = 1) -> LogEntry {
        entry(TopicLayout.reachedKey, ReachedMessage(store: store, sequence: sequence).encoded())
    }

    @Test("it has the address of a device's life, until it is removed, and says how far it is")
    func follows() throws {
        var table = PushAddressTable(open: Self.open)
        #expect(!table.hasReached(CommitSequence(1)) && table.hasReached(.zero))
        try table.take(registered(5))
        let found = try #require(try table.address(of: phone, DeviceEpoch(3), .apns))
        #expect(found.address == address && found.contents == .none && found.sequence == CommitSequence(5))
        #expect(found.registered == Timestamp(milliseconds: 77))
        #expect(table.hasReached(CommitSequence(5)) && !table.hasReached(CommitSequence(6)))
        #expect(try table.address(of: phone, DeviceEpoch(4), .apns) == nil)
        #expect(try table.address(of: phone, DeviceEpoch(3), .webPush) == nil)
        try table.take(reached(9))
        try table.take(entry(key(), nil))
        #expect(try table.address(of: phone, DeviceEpoch(3), .apns) == nil && table.count == 0)
        #expect(table.hasReached(CommitSequence(9)), "although the entry is gone")
    }

    @Test("a device that another user has now stays, and sequences of another store count by themselves")
    func others() throws {
        var table = PushAddressTable(open: Self.open)
        let other = UserRecordName(trusted: "_" + String(repeating: "b", count: 32))
        try table.take(registered(5))
        try table.take(registered(6, epoch: 4, other))
        try table.take(entry(key(), nil))
        #expect(try table.address(of: phone, DeviceEpoch(4), .apns) != nil)
        try table.take(reached(2, store: 2))
        #expect(!table.hasReached(CommitSequence(3)))
    }

    @Test("rows that are published again do not take the place of a later registration of their store")
    func publishedAgain() throws {
        var table = PushAddressTable(open: Self.open)
        func sequence() throws -> Int64? {
            try table.address(of: phone, DeviceEpoch(3), .apns)?.sequence.rawValue
        }
        for entry in [registered(5), removed(6), registered(7), registered(5), removed(6)] { try table.take(entry) }
        #expect(try sequence() == 7)
        try table.take(registered(7))
        #expect(try sequence() == 7)
        try table.take(removed(8))
        #expect(try sequence() == nil)
        // A repair removes without a name, and another store counts by itself.
        try table.take(registered(9))
        try table.take(entry(key(), nil))
        try table.take(registered(4))
        #expect(try sequence() == 4)
        try table.take(registered(2, store: 2))
        #expect(try sequence() == 2)
        try table.take(removed(1, store: 3))
        #expect(try sequence() == nil)
    }

    @Test("an address is opened once, until it is registered again or removed")
    func opensOnce() throws {
        let count = Mutex(0)
        var table = PushAddressTable { sealed, user, device, kind in
            count.withLock { $0 += 1 }
            return try Self.open(sealed, user, device, kind)
        }
        func open(_ epoch: Int64 = 3) throws -> PushAddress? {
            try table.openAddress(of: phone, DeviceEpoch(epoch), .apns)?.address
        }
        try table.take(registered(5))
        let first = [try open(), try open(), try open(4)]
        #expect(first == [address, address, nil] && count.withLock(\.self) == 1)
        try table.take(registered(6, epoch: 4))
        let second = [try open(3), try open(4), try open(4)]
        #expect(second == [nil, address, address] && count.withLock(\.self) == 2)
        try table.take(entry(key(), nil))
        let removed = try open(4)
        #expect(removed == nil && count.withLock(\.self) == 2)
    }

    @Test("an entry that cannot be read changes nothing, and one that was changed does not open")
    func malformed() throws {
        var table = PushAddressTable(open: Self.open)
        try table.take(registered(5))
        let moved = try #require(registered(6).value)
        for bad in [
            entry(nil, moved), entry(Array("a".utf8), moved), entry(key(), [0xff]),
            entry(key(UserRecordName(trusted: "_c")), moved),
            entry(Pushed.layout.pushAddressKey(Pushed.user, phone, .webhook), moved),
        ] {
            #expect(throws: (any Error).self) { try table.take(bad) }
        }
        try table.take(entry(TopicLayout.readerKey, [1]))
        #expect(table.count == 1 && !table.hasReached(CommitSequence(6)))
        var other = try PushAddressEntry(decoding: moved)
        other.sealed[20] ^= 1
        try table.take(entry(key(), other.encoded()))
        #expect(throws: SealedTokenError.forged) { try table.address(of: phone, DeviceEpoch(3), .apns) }
    }
}
