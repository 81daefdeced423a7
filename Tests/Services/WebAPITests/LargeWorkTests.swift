import Synchronization
import TestSupport
import Testing

@testable import WebAPI

/// What bounds the memory of requests together.
@Suite struct LargeWorkTests {
    private struct Refused: Error {}

    /// What is at work, how much it was at most, and the order in which work began.
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
                    try? await gate.pass(size) {
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

    @Test func whoCameFirstIsLetInFirstAndWhatIsSmallPassesAll() async throws {
        try await within {
            let gate = LargeWork(capacity: 4 * Self.mebibyte)
            let observer = Observer()
            let door = Door()
            let first = Task { await gate.pass(3 * Self.mebibyte) { await door.pass() } }
            try await eventually("the first at work") { gate.room == Self.mebibyte }
            // The second needs more than there is; the third would fit, and does not overtake it.
            let second = Task { await gate.pass(2 * Self.mebibyte) { observer.begin(2, 0) } }
            try await eventually("one in line") { gate.waitingCount == 1 }
            let third = Task { await gate.pass(Self.mebibyte + 1) { observer.begin(3, 0) } }
            try await eventually("two in line") { gate.waitingCount == 2 }
            await gate.pass(LargeWork.smallBytes) { observer.begin(0, 0) }
            #expect(observer.seen.withLock { $0.begun } == [0])
            door.open()
            for task in [first, second, third] { await task.value }
            #expect(gate.room == 4 * Self.mebibyte && gate.waitingCount == 0)
        }
    }

    @Test func whatIsLargerThanAllWorksAlone() async throws {
        let gate = LargeWork(capacity: 2 * Self.mebibyte)
        let room = await gate.pass(64 * Self.mebibyte) { gate.room }
        #expect(room == 0)
    }
}
