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

    private func book(_ own: (any EventLog)? = nil) async throws -> PushAddressBook {
        _ = try await log.createTopics(Pushed.layout.fixedTopics)
        return PushAddressBook(
            log: own ?? log, layout: Pushed.layout,
            open: { sealed, user, device, kind in
                try PushAddressMessage(decoding: Self.key.open(sealed, for: "\(user)/\(device)/\(kind)")).pushAddress()
            })
    }

    /// The commands in the log.
    private func commands() async throws -> [Command] {
        var commands: [Command] = []
        for partition in 0..<Pushed.layout.partitions {
            try await log.readToEnd(of: TopicPartition(Pushed.layout.commands, partition)) { entry in
                commands.append(try Command(decoding: entry.value ?? []))
            }
        }
        return commands
    }

    private func write(
        _ sequence: Int64, _ device: String, token: UInt8?, epoch: Int64 = 3, of user: UserRecordName = Pushed.user
    ) async throws {
        let device = DeviceID(trusted: device)
        let key = Pushed.layout.pushAddressKey(user, device, .apns)
        var value: [UInt8]?
        if let token {
            let address = PushAddress.apns(APNSAddress(token: [token], environment: .development))
            let place = "\(user)/\(device)/apns"
            value =
                PushAddressEntry(
                    source: SourcePositionMessage(SourcePosition(source: .store(1), offset: sequence)),
                    user: user.rawValue, device: device.rawValue, epoch: epoch, kind: "apns", contents: "full",
                    registered: sequence, sealed: Self.key.seal(PushAddressMessage(address).encoded(), for: place)
                ).encoded()
        }
        let place = TopicPartition(Pushed.layout.pushAddresses, Pushed.layout.pushes(of: user).partition)
        let entry = OutgoingEntry(place, key: key, value: value, timestamp: LogTimestamp(milliseconds: 1))
        try await log.withWriter { try await $0.append([entry]) }
    }

    private func address(
        _ book: PushAddressBook, _ device: String = "phone", atLeast sequence: Int64
    ) async throws -> RegisteredPushAddress? {
        try await book.address(
            of: DeviceID(trusted: device), DeviceEpoch(3), .apns, user: Pushed.user, atLeast: CommitSequence(sequence))
    }

    private func following(
        _ book: PushAddressBook, _ partition: Int32 = Self.partition,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await within {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await book.follow(partition) }
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

    @Test("addresses of one partition are opened while another's is being opened")
    func partitions() async throws {
        _ = try await log.createTopics(Pushed.layout.fixedTopics)
        let users = "0123456789".map { UserRecordName(trusted: "_" + String(repeating: $0, count: 32)) }
        let other = try #require(users.first { Pushed.layout.pushes(of: $0).partition != Self.partition })
        let asked = Mutex<PushAddressBook?>(nil)
        let inner = Mutex<PushAddress?>(nil)
        let book = PushAddressBook(log: log, layout: Pushed.layout) { [phone] sealed, user, device, kind in
            if user == Pushed.user, let book = asked.withLock(\.self) {
                let found = try book.knownAddress(of: phone, DeviceEpoch(3), .apns, user: other)
                inner.withLock { $0 = found?.address }
            }
            return try PushAddressMessage(decoding: Self.key.open(sealed, for: "\(user)/\(device)/\(kind)"))
                .pushAddress()
        }
        asked.withLock { $0 = book }
        try await write(5, "tablet", token: 1)
        try await write(6, "phone", token: 2, of: other)
        try await following(book) {
            try await following(book, Pushed.layout.pushes(of: other).partition) {
                let sequence = CommitSequence(6)
                _ = try await book.address(of: phone, DeviceEpoch(3), .apns, user: other, atLeast: sequence)
                #expect(try await address(book, "tablet", atLeast: 5) != nil)
                #expect(
                    inner.withLock(\.self) == .apns(APNSAddress(token: [2], environment: .development)))
            }
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
            let removal = RemovePushAddress(device: "phone", kind: "apns", sequence: 5, reason: "Unregistered")
            #expect(try await commands() == [Command(command: .removePushAddress(removal))])
            #expect(try await address(book, atLeast: 5) == nil)
            try await write(8, "phone", token: 1)
            #expect(try await address(book, atLeast: 8)?.sequence == CommitSequence(8))
        }
        let refusing = try await self.book(FailingLog(log, failing: { _ in .before }))
        try await following(refusing) {
            let found = try #require(try await address(refusing, atLeast: 8))
            await #expect(throws: LogError.self) {
                try await refusing.remove(
                    found, of: phone, DeviceEpoch(3), user: Pushed.user, for: PushFailure(reason: "Unregistered"))
            }
            let kept = try await address(refusing, atLeast: 8)
            #expect(kept != nil)
        }
    }

    @Test("results are published when they change, and otherwise once an hour")
    func results() async throws {
        let book = try await book()
        let address = RegisteredPushAddress(
            .apns(APNSAddress(token: [1], environment: .development)), registered: Timestamp(milliseconds: 1),
            sequence: CommitSequence(5))
        func note(_ outcome: PushOutcome, at seconds: Int64) {
            book.note(outcome, of: address, of: phone, at: Timestamp(milliseconds: seconds * 1000))
        }
        @Sendable func result(_ succeeded: (Int64, Int32)?, _ failed: (Int64, Int32, String)?) -> Command {
            let result = PushResult(
                device: "phone", kind: "apns", sequence: 5, succeeded: succeeded.map { $0.0 * 1000 },
                failed: failed.map { $0.0 * 1000 }, reason: failed?.2 ?? "", succeededStatus: succeeded?.1,
                failedStatus: failed?.1)
            return Command(command: .pushResults(PushResults(results: [result])))
        }
        let task = Task { await book.report() }
        let taken = PushOutcome.accepted(status: 200)
        let shutdown = PushOutcome.failed(PushFailure(status: 503, reason: "Shutdown"), .line(after: nil))
        note(taken, at: 100)
        note(taken, at: 200)
        try await eventually("the first success") { try await commands() == [result((100, 200), nil)] }
        note(shutdown, at: 300)
        note(shutdown, at: 301)
        note(taken, at: 320)
        let second = [result((100, 200), nil), result((320, 200), (300, 503, "Shutdown"))]
        try await eventually("a failure and a success") { try await commands() == second }
        note(taken, at: 3919)
        note(taken, at: 3921)
        let third = second + [result((3921, 200), nil)]
        try await eventually("a success an hour later") { try await commands() == third }
        note(.accepted(status: 202), at: 3930)
        note(.accepted(status: 202), at: 3932)
        try await eventually("a success with another status") {
            try await commands() == third + [result((3932, 202), nil)]
        }
        task.cancel()
        await task.value
    }

    @Test("a user sees neither why the host of a webhook gave no answer nor when", arguments: PushFault.allCases)
    func hidden(fault: PushFault) async throws {
        let book = try await book()
        let kinds: [(PushAddress, String, Int64)] = [
            (.webhook(WebhookAddress(url: "https://a.example", secrets: [])), "no-answer", 120_000),
            (.apns(APNSAddress(token: [1], environment: .development)), fault.rawValue, 123_456),
        ]
        for (address, _, _) in kinds {
            let registered = RegisteredPushAddress(
                address, registered: Timestamp(milliseconds: 1), sequence: CommitSequence(5))
            book.note(
                .failed(PushFailure(fault), .line(after: nil)), of: registered, of: phone,
                at: Timestamp(milliseconds: 123_456))
        }
        let task = Task { await book.report() }
        try await eventually("both results") {
            let results = try await commands().flatMap { command -> [PushResult] in
                if case .pushResults(let results)? = command.command { results.results } else { [] }
            }
            return results.map { [$0.kind, $0.reason, "\($0.failed ?? 0)"] }.sorted { $0[0] > $1[0] }
                == kinds.map { [$0.0.kind.rawValue, $0.1, "\($0.2)"] }
        }
        task.cancel()
        await task.value
    }

    @Test("of more results than are published at once, the others follow later, and none is lost")
    func manyResults() async throws {
        let time = ManualTime()
        let count = 2 * PushReports.resultsAtOnceMax + 1
        try await within {
            try await time.bound {
                let book = try await book()
                for number in 0..<count {
                    let address = RegisteredPushAddress(
                        .apns(APNSAddress(token: [1], environment: .development)),
                        registered: Timestamp(milliseconds: 1), sequence: CommitSequence(Int64(number + 1)))
                    book.note(
                        .accepted(status: 200), of: address, of: DeviceID(trusted: "phone-\(number)"),
                        at: Timestamp(milliseconds: 100))
                }
                let task = Task { await book.report() }
                defer { task.cancel() }
                var published: [Int] = []
                for pause in 1...3 {
                    await time.pauses(atLeast: pause)
                    published.append(try await reported().count)
                    time.advance(by: .seconds(2))
                }
                #expect(published == [0, PushReports.resultsAtOnceMax, 2 * PushReports.resultsAtOnceMax])
                try await eventually("the last result") { try await Set(reported()).count == count }
            }
        }
    }

    /// The devices of all results in the log.
    private func reported() async throws -> [String] {
        try await commands().flatMap { command in
            guard case .pushResults(let results)? = command.command else { return [String]() }
            return results.results.map(\.device)
        }
    }
}
