import TestSupport
import Testing

@testable import Waiting

/// Waiting at a gate.
@Suite struct FairGateTests {
    private struct Failure: Error {}

    private let gate = FairGate<String>(capacity: 1, share: 1, waitersOfKey: 2)

    /// Holds the gate until it is released.
    private func hold(_ key: String = "holder") async throws -> (release: () -> Void, task: Task<Void, any Error>) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [gate] in
            try await gate.pass(1, for: key) { for await _ in stream {} }
        }
        try await eventually("the gate is held") { [gate] in gate.room == 0 }
        return ({ continuation.finish() }, task)
    }

    @Test("A waiting request gets in when there is room, and the room is returned") func order() async throws {
        let holder = try await hold()
        let waiter = Task { [gate] in try await gate.pass(1, for: "b") { 7 } }
        try await eventually("it waits") { [gate] in gate.waitingCount == 1 }
        holder.release()
        #expect(try await waiter.value == 7)
        try await holder.task.value
        #expect(gate.room == 1)
    }

    @Test("A task that is cancelled leaves the line at once") func cancellation() async throws {
        let holder = try await hold()
        let waiter = Task { [gate] in try await gate.pass(1, for: "b") { 7 } }
        try await eventually("it waits") { [gate] in gate.waitingCount == 1 }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(gate.waitingCount == 0)
        holder.release()
        try await holder.task.value
        #expect(gate.room == 1)
    }

    @Test("A task that was cancelled before does not work") func cancelledBefore() async throws {
        let task = Task { [gate] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await gate.pass(1, for: "a") { 7 }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(gate.room == 1)
    }

    @Test("A request that has waited as long as it may fails") func time() async throws {
        let holder = try await hold()
        let waiter = Task { [gate] in try await gate.pass(1, for: "b", waitingAtMost: .zero) { 7 } }
        await #expect(throws: WaitingRefusal.timedOut) { try await waiter.value }
        #expect(gate.waitingCount == 0)
        holder.release()
        try await holder.task.value
    }

    @Test("The third waiter of a key is refused; another key's waits") func crowd() async throws {
        let holder = try await hold()
        let waiters = (0..<2).map { _ in Task { [gate] in try await gate.pass(1, for: "b") { 7 } } }
        try await eventually("they wait") { [gate] in gate.waitingCount == 2 }
        await #expect(throws: WaitingRefusal.tooManyOfOne) { try await gate.pass(1, for: "b") { 7 } }
        holder.release()
        for waiter in waiters { #expect(try await waiter.value == 7) }
        try await holder.task.value
    }

    @Test("What the work throws comes back, and the room with it") func failure() async throws {
        await #expect(throws: Failure.self) { try await gate.pass(1, for: "a") { throw Failure() } }
        #expect(gate.room == 1)
    }
}
