import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing

@testable import Push

/// The addresses that a sender has of a partition.
@Suite struct PushAddressBookTests {
    private static let key = StorageKey(.generate(), purpose: "test")
    private static let partition = Pushed.layout.pushes(of: Pushed.user).partition
    private let phone = DeviceID(trusted: "phone")
    private let log = MemoryLog()
    private let removals = Removals()

    private final class Removals: Sendable {
        let sequences = Mutex<[CommitSequence]>([])
    }

    private func book(_ refuses: Bool = false) async throws -> PushAddressBook {
        _ = try await log.createTopics(Pushed.layout.fixedTopics)
        return PushAddressBook(
            log: log, layout: Pushed.layout,
            open: { sealed, user, device, kind in
                try PushAddressMessage(decoding: Self.key.open(sealed, for: "\(user)/\(device)/\(kind)")).pushAddress()
            },
            removal: { [removals] address, _, _, _, _ in
                if refuses { throw LogError.unavailable("the test wants it so") }
                removals.sequences.withLock { $0.append(address.sequence) }
            })
    }

    private func write(_ sequence: Int64, _ device: String, token: UInt8?, epoch: Int64 = 3) async throws {
        let device = DeviceID(trusted: device)
        let key = Pushed.layout.pushAddressKey(Pushed.user, device, .apns)
        var value: [UInt8]?
        if let token {
            let address = PushAddress.apns(APNSAddress(token: [token], environment: .development))
            let place = "\(Pushed.user)/\(device)/apns"
            value =
                PushAddressEntry(
                    source: SourcePositionMessage(SourcePosition(source: .store(1), offset: sequence)),
                    user: Pushed.user.rawValue, device: device.rawValue, epoch: epoch, kind: "apns", contents: "full",
                    registered: sequence, sealed: Self.key.seal(PushAddressMessage(address).encoded(), for: place)
                ).encoded()
        }
        let place = TopicPartition(Pushed.layout.pushAddresses, Self.partition)
        let entry = OutgoingEntry(place, key: key, value: value, timestamp: LogTimestamp(milliseconds: 1))
        try await log.withWriter { try await $0.append([entry]) }
    }

    private func address(
        _ book: PushAddressBook, _ device: String = "phone", atLeast sequence: Int64
    ) async throws -> RegisteredPushAddress? {
        try await book.address(
            of: DeviceID(trusted: device), DeviceEpoch(3), .apns, user: Pushed.user, atLeast: CommitSequence(sequence))
    }

    private func following(_ book: PushAddressBook, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await within {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await book.follow(Self.partition) }
                try await body()
                group.cancelAll()
            }
        }
    }

    @Test("a registration is waited for, and the newest of a device counts")
    func waits() async throws {
        let book = try await book()
        try await write(5, "phone", token: 1)
        try await following(book) {
            #expect(try await address(book, atLeast: 5)?.sequence == CommitSequence(5))
            async let later = address(book, atLeast: 7)
            try await write(7, "phone", token: 2)
            let found = try await later
            #expect(found?.address == .apns(APNSAddress(token: [2], environment: .development)))
            #expect(found?.sequence == CommitSequence(7))
            #expect(try await address(book, "tablet", atLeast: 7) == nil)
        }
    }

    @Test("a removal that was there before the following began is known to the first question")
    func readsToTheEnd() async throws {
        let book = try await book()
        try await write(5, "phone", token: 1)
        for number in 6...300 { try await write(Int64(number), "tablet", token: 9) }
        try await write(0, "phone", token: nil)
        // Sequence 5 is passed at the first entry; the removal is behind the others.
        try await following(book) {
            let found = try await address(book, atLeast: 5)
            #expect(found == nil)
        }
    }

    @Test("a removed address is none at once, a later registration is one, and a failed removal changes nothing")
    func removes() async throws {
        let book = try await book()
        try await write(5, "phone", token: 1)
        try await following(book) {
            let found = try #require(try await address(book, atLeast: 5))
            try await book.remove(
                found, of: phone, DeviceEpoch(3), user: Pushed.user, for: PushFailure(reason: "Unregistered"))
            #expect(removals.sequences.withLock { $0 } == [CommitSequence(5)])
            #expect(try await address(book, atLeast: 5) == nil)
            try await write(8, "phone", token: 1)
            #expect(try await address(book, atLeast: 8)?.sequence == CommitSequence(8))
        }
        let refusing = try await self.book(true)
        try await following(refusing) {
            let found = try #require(try await address(refusing, atLeast: 8))
            await #expect(throws: LogError.self) {
                try await refusing.remove(
                    found, of: phone, DeviceEpoch(3), user: Pushed.user, for: PushFailure(reason: "Unregistered"))
            }
            #expect(try await address(refusing, atLeast: 8) != nil)
        }
    }
}
