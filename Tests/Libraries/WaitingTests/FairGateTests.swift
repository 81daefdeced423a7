import Synchronization
import TestSupport
import Testing

@testable import Waiting

/// Waiting at a gate and in a pool.
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

    @Test("Who waits gets in when there is room, and the room is given back") func order() async throws {
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

    @Test("Who has waited as long as it may is told so") func time() async throws {
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

    @Test("Work in a pool is told that nobody waits for it, and its end is waited for") func poolCancellation()
        async throws
    {
        let pool = WorkPool<String>(threads: 1, share: 1, waitersOfKey: 4)
        let rounds = Atomic(0)
        let running = Task {
            try await pool.run(for: "a") { isCancelled in
                while !isCancelled() { rounds.add(1, ordering: .relaxed) }
                return 3
            }
        }
        try await eventually("it works") { pool.room == 0 }
        let next = Task { try await pool.run(for: "b") { _ in 4 } }
        try await eventually("the next waits") { pool.waitingCount == 1 }
        running.cancel()
        #expect(try await running.value == 3)
        #expect(try await next.value == 4)
    }

    @Test("A pool works on as many threads as it has, whoever asks") func poolThreads() async throws {
        let pool = WorkPool<Int>(threads: 3, share: 3, waitersOfKey: 100)
        let peak = Peak()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<60 {
                group.addTask {
                    try await pool.run(for: number % 5) { _ in
                        peak.enter()
                        defer { peak.leave() }
                        var sum = 0
                        for value in 0..<20_000 { sum &+= value }
                        return sum
                    }
                }
            }
            for try await sum in group { #expect(sum == 199_990_000) }
        }
        #expect(peak.most <= 3)
        #expect(pool.room == 3)
    }

    /// How many were inside at once, at most.
    private final class Peak: Sendable {
        private let state = Mutex((now: 0, most: 0))

        var most: Int { state.withLock(\.most) }

        func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }

        func leave() { state.withLock { $0.now -= 1 } }
    }
}
