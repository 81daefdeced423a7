import Synchronization
import TestSupport
import Testing
import Waiting

@Suite struct BellTests {
    private struct Trouble: Error {}

    private final class Count: Sendable {
        let value = Atomic(0)
    }

    private let bell = Bell<Int>()

    @Test func anEarlierRingIsNotWaitedFor() async throws {
        #expect(try await bell.wait(for: 0) { 7 } == 7)
    }

    @Test func noRingIsMissed() async throws {
        try await within {
            for round in 1...500 {
                let reached = Count()
                await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await bell.wait(for: 0, until: { reached.value.load(ordering: .acquiring) == round })
                    }
                    group.addTask {
                        reached.value.store(round, ordering: .releasing)
                        bell.ring(0)
                    }
                }
            }
        }
    }

    @Test func aRingOfAnotherKeyWakesNobody() async throws {
        let looks = Count()
        let waiting = Task {
            try await bell.wait(for: 0, until: { looks.value.add(1, ordering: .relaxed).newValue > 1 })
        }
        try await eventually("the first look") { looks.value.load(ordering: .relaxed) == 1 }
        bell.ring(1)
        bell.ring(0)
        try await waiting.value
        #expect(looks.value.load(ordering: .relaxed) == 2)
    }

    @Test func aCancelledWaiterLeaves() async throws {
        let waiting = Task { try await bell.wait(for: 0, until: { false }) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func theErrorOfALookEndsTheWait() async throws {
        await #expect(throws: Trouble.self) {
            try await bell.wait(for: 0, until: { () throws -> Bool in throw Trouble() })
        }
    }
}
