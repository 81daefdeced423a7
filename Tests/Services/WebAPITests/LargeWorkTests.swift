import CloudModel
import Synchronization
import TestSupport
import Testing

@testable import WebAPI

/// What bounds the memory of requests together.
@Suite struct LargeWorkTests {
    private struct Refused: Error {}

    /// The current work, its maximum, and the order in which it started.
    private struct Seen {
        var now = 0
        var most = 0
        var begun: [Int] = []
    }

    private final class Observer: Sendable {
        let seen = Mutex(Seen())

        func begin(_ number: Int, _ bytes: Int) {
            seen.withLock { seen in
                seen.now += bytes
                seen.most = max(seen.most, seen.now)
                seen.begun.append(number)
            }
        }

        func end(_ bytes: Int) { seen.withLock { $0.now -= bytes } }
    }

    /// A door that stays closed until it is opened.
    private final class Door: Sendable {
        private let (stream, continuation) = AsyncStream<Void>.makeStream()

        func pass() async { for await _ in stream {} }
        func open() { continuation.finish() }
    }

    private static func sender(_ number: Int) -> Sender {
        .key(
            ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.a"), environment: .development),
            "\(number)")
    }

    private static let mebibyte = 1 << 20

    @Test(arguments: 1...5) func noMoreIsAtWorkThanThereIsRoomFor(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let sizes = (0..<200).map { _ in Int.random(in: 1...9, using: &random) * Self.mebibyte + 1 }
        let gate = LargeWork(capacity: 8 * Self.mebibyte)
        let observer = Observer()
        await withTaskGroup(of: Void.self) { group in
            for (number, size) in sizes.enumerated() {
                group.addTask {
                    let share = min(size, 8 * Self.mebibyte)
                    try? await gate.pass(size, for: Self.sender(number % 50)) {
                        observer.begin(number, share)
                        await Task.yield()
                        observer.end(share)
                        if number.isMultiple(of: 7) { throw Refused() }
                    }
                }
            }
        }
        let seen = observer.seen.withLock { $0 }
        #expect(seen.most <= 8 * Self.mebibyte && seen.most > 4 * Self.mebibyte, "seed \(seed)")
        #expect(seen.begun.sorted() == Array(0..<200), "seed \(seed): everyone's turn comes, also after a failure")
    }

    @Test func requestsEnterInOrderAndSmallOnesPass() async throws {
        try await within {
            let gate = LargeWork(capacity: 4 * Self.mebibyte)
            let observer = Observer()
            let door = Door()
            let first = Task { try await gate.pass(3 * Self.mebibyte, for: Self.sender(0)) { await door.pass() } }
            try await eventually("the first at work") { gate.room == Self.mebibyte }
            // The second needs more than there is; the third would fit, and does not overtake it.
            let second = Task { try await gate.pass(2 * Self.mebibyte, for: Self.sender(1)) { observer.begin(2, 0) } }
            try await eventually("one in line") { gate.waitingCount == 1 }
            let third = Task { try await gate.pass(Self.mebibyte + 1, for: Self.sender(2)) { observer.begin(3, 0) } }
            try await eventually("two in line") { gate.waitingCount == 2 }
            try await gate.pass(LargeWork.smallBytes, for: Self.sender(9)) { observer.begin(0, 0) }
            #expect(observer.seen.withLock { $0.begun } == [0])
            door.open()
            for task in [first, second, third] { try await task.value }
            #expect(gate.room == 4 * Self.mebibyte && gate.waitingCount == 0)
        }
    }

    @Test func aRequestOverTheCapacityWorksAlone() async throws {
        let gate = LargeWork(capacity: 2 * Self.mebibyte)
        let room = try await gate.pass(64 * Self.mebibyte, for: Self.sender(0)) { gate.room }
        #expect(room == 0)
    }

    /// One sender's many requests do not delay those of others.
    @Test func aSenderWithManyWaitingHoldsUpNobodyElse() async throws {
        try await within {
            let gate = LargeWork(capacity: 4 * Self.mebibyte)
            let observer = Observer()
            let size = 2 * Self.mebibyte
            let doors = [Door(), Door()]
            let held = doors.enumerated().map { key, door in
                Task { try await gate.pass(size, for: Self.sender(key)) { await door.pass() } }
            }
            try await eventually("no room") { gate.room == 0 }
            let greedy = (0..<20).map { number in
                Task { try await gate.pass(size, for: Self.sender(0)) { observer.begin(number, 0) } }
            }
            try await eventually("many in line") { gate.waitingCount == 20 }
            let other = Task { try await gate.pass(size, for: Self.sender(7)) { observer.begin(100, 0) } }
            try await eventually("one more in line") { gate.waitingCount == 21 }
            // The greedy sender holds its share until then, however late tasks run.
            doors[1].open()
            for task in [held[1], other] { try await task.value }
            #expect(observer.seen.withLock { $0.begun } == [100])
            doors[0].open()
            for task in [held[0]] + greedy { try await task.value }
        }
    }

    @Test func tooManyWaitingRequestsAreRefused() async throws {
        try await within {
            let gate = LargeWork(capacity: 2 * Self.mebibyte)
            let door = Door()
            let first = Task { try await gate.pass(2 * Self.mebibyte, for: Self.sender(0)) { await door.pass() } }
            try await eventually("no room") { gate.room == 0 }
            let waiting = (0..<LargeWork.waitersOfSender).map { _ in
                Task { try await gate.pass(2 * Self.mebibyte, for: Self.sender(0)) {} }
            }
            try await eventually("in line") { gate.waitingCount == LargeWork.waitersOfSender }
            do {
                try await gate.pass(2 * Self.mebibyte, for: Self.sender(0)) {}
                Issue.record("one more got in line")
            } catch let error as CloudError {
                #expect(error.code == .throttled && error.retryAfterSeconds != nil)
            }
            // A cancelled request leaves the line.
            for task in waiting { task.cancel() }
            try await eventually("nobody in line") { gate.waitingCount == 0 }
            door.open()
            try await first.value
        }
    }
}
