import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Waiting

/// Work in a pool of threads.
@Suite struct WorkPoolTests {
    private struct Failure: Error {}

    @Test("Work in a pool sees that its caller has left, and its end is awaited") func poolCancellation()
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
        try await eventually("it works") { rounds.load(ordering: .relaxed) > 0 }
        let next = Task { try await pool.run(for: "b") { _ in 4 } }
        try await eventually("the next waits") { pool.waitingCount == 1 }
        running.cancel()
        #expect(try await running.value == 3)
        #expect(try await next.value == 4)
    }

    @Test("A pool works on as many threads as it has, for any callers") func poolThreads() async throws {
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

    /// A pool of one thread, and what ends the work that holds it.
    private func held(_ pool: WorkPool<String>) async throws -> (end: () -> Void, task: Task<Void, any Error>) {
        let mayEnd = DispatchSemaphore(value: 0)
        let task = Task { try await pool.run(for: "holder") { _ in mayEnd.wait() } }
        try await eventually("it works") { pool.room == 0 }
        return ({ mayEnd.signal() }, task)
    }

    @Test("Work that waits too long for a thread fails and never starts") func time() async throws {
        let pool = WorkPool<String>(threads: 1, share: 1, waitersOfKey: 4)
        let holder = try await held(pool)
        let begun = Atomic(false)
        let late = Task {
            try await pool.run(for: "a", waitingAtMost: .zero) { _ in begun.store(true, ordering: .relaxed) }
        }
        await #expect(throws: WaitingRefusal.timedOut) { try await late.value }
        #expect(pool.waitingCount == 0)
        holder.end()
        try await holder.task.value
        let wasBegun = begun.load(ordering: .relaxed)
        #expect(!wasBegun)
        #expect(try await pool.run(for: "a", waitingAtMost: .zero) { _ in 5 } == 5)
    }

    @Test("Work that is cancelled while it waits leaves the line at once and is never begun") func cancellation()
        async throws
    {
        let pool = WorkPool<String>(threads: 1, share: 1, waitersOfKey: 1)
        let holder = try await held(pool)
        let begun = Atomic(false)
        let waiter = Task { try await pool.run(for: "a") { _ in begun.store(true, ordering: .relaxed) } }
        try await eventually("it waits") { pool.waitingCount == 1 }
        await #expect(throws: WaitingRefusal.tooManyOfOne) { try await pool.run(for: "a") { _ in } }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(pool.waitingCount == 0)
        holder.end()
        try await holder.task.value
        let wasBegun = begun.load(ordering: .relaxed)
        #expect(!wasBegun)
    }

    @Test("Work of a task that was cancelled before is not begun") func cancelledBefore() async throws {
        let pool = WorkPool<String>(threads: 1, share: 1, waitersOfKey: 1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pool.run(for: "a") { _ in 7 }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(pool.room == 1)
    }

    @Test("What work throws comes back, and its thread does the next") func failure() async throws {
        let pool = WorkPool<String>(threads: 1, share: 1, waitersOfKey: 4)
        let holder = try await held(pool)
        let failing = Task { try await pool.run(for: "a") { _ in throw Failure() } }
        try await eventually("it waits") { pool.waitingCount == 1 }
        let next = Task { try await pool.run(for: "b") { _ in 4 } }
        try await eventually("both wait") { pool.waitingCount == 2 }
        holder.end()
        try await holder.task.value
        await #expect(throws: Failure.self) { try await failing.value }
        #expect(try await next.value == 4)
        #expect(pool.room == 1)
    }

    @Test("Of requests whose time ends as their turn comes each gets one result, and none is lost") func timeAndTurn()
        async throws
    {
        let pool = WorkPool<String>(threads: 1, share: 1, waitersOfKey: 8)
        for _ in 0..<10 {
            let holder = try await held(pool)
            let results = Results()
            let waiters = (1...8).map { number in
                Task {
                    defer { results.count.add(1, ordering: .relaxed) }
                    return try await pool.run(for: "\(number)", waitingAtMost: .zero) { _ in number }
                }
            }
            // The time of one is over, and that of the others about to be.
            try await eventually("one result") { results.count.load(ordering: .relaxed) > 0 }
            holder.end()
            try await holder.task.value
            for (number, waiter) in waiters.enumerated() {
                switch await waiter.result {
                case .success(let value): #expect(value == number + 1)
                case .failure(let error): #expect(error as? WaitingRefusal == .timedOut)
                }
            }
            #expect(pool.waitingCount == 0)
            try await eventually("the thread is free") { pool.room == 1 }
        }
    }

    @Test("Cancelling, waiting for no time and working at once leaves no thread taken and nobody in line") func races()
        async throws
    {
        let pool = WorkPool<Int>(threads: 2, share: 1, waitersOfKey: 8)
        for _ in 0..<40 {
            let tasks = (0..<16).map { number in
                Task {
                    try await pool.run(for: number % 4, waitingAtMost: number % 3 == 0 ? .zero : nil) { _ in number }
                }
            }
            for (number, task) in tasks.enumerated() where number % 2 == 0 { task.cancel() }
            for (number, task) in tasks.enumerated() {
                switch await task.result {
                case .success(let value): #expect(value == number)
                case .failure(let error): #expect(error is CancellationError || error is WaitingRefusal)
                }
            }
            #expect(pool.waitingCount == 0)
        }
        try await eventually("all threads are free") { pool.room == 2 }
    }

    private final class Results: Sendable {
        let count = Atomic(0)
    }

    /// How many were inside at once, at most.
    private final class Peak: Sendable {
        private let state = Mutex((now: 0, most: 0))

        var most: Int { state.withLock(\.most) }

        func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }

        func leave() { state.withLock { $0.now -= 1 } }
    }
}
