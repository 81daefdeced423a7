import Synchronization
import TestSupport
import Testing
import Waiting

@Suite struct BellTests {
    private struct Trouble: Error {}

    private let bell = Bell<Int>()

    @Test func whatIsThereIsNotWaitedFor() async throws {
        #expect(try await bell.wait(for: 0) { 7 } == 7)
    }

    @Test func noRingIsMissed() async throws {
        try await within(.seconds(60)) {
            for round in 1...500 {
                let reached = Atomic(0)
                await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await bell.wait(for: 0) { reached.load(ordering: .acquiring) == round } }
                    group.addTask {
                        reached.store(round, ordering: .releasing)
                        bell.ring(0)
                    }
                }
            }
        }
    }

    @Test func aRingOfAnotherKeyWakesNobody() async throws {
        let looks = Atomic(0)
        let waiting = Task {
            try await bell.wait(for: 0) { looks.add(1, ordering: .relaxed).newValue > 1 }
        }
        try await eventually("the first look") { looks.load(ordering: .relaxed) == 1 }
        bell.ring(1)
        bell.ring(0)
        try await waiting.value
        #expect(looks.load(ordering: .relaxed) == 2)
    }

    @Test func whoIsCancelledLeaves() async throws {
        let waiting = Task { try await bell.wait(for: 0) { false } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func theErrorOfALookEndsTheWait() async throws {
        await #expect(throws: Trouble.self) { try await bell.wait(for: 0) { () throws -> Bool in throw Trouble() } }
    }
}
