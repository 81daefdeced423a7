import Dispatch
package import Synchronization

/// Threads for long work, which must not run on Swift's own pool. They end when the last reference is released and the
/// work is done.
package final class WorkerThreads: Sendable {
    /// Bytes of a thread's stack: what foreign input may need is tested on half of it.
    private static let stackBytes = 1 << 20

    /// True in a process that simulates: there are no threads, and the caller does the work at once.
    package static let runsInline = Atomic(false)

    /// The cost that the work of one key may run up before it is the turn of another.
    package static let turnCost = 64 << 10

    /// The number of threads.
    package let count: Int
    private let queue = WorkQueue()

    /// Starts so many threads.
    /// - Parameter niceness: how far they give way to other threads of the machine, from 0 to 19.
    package init(count: Int, niceness: Int32 = 0) {
        precondition(count > 0, "there is nobody to do the work")
        self.count = count
        if Self.runsInline.load(ordering: .relaxed) { return }
        for number in 0..<count {
            DedicatedThread.start(stackBytes: Self.stackBytes) { [queue] in
                if niceness > 0 { DedicatedThread.lowerPriority(to: niceness) }
                while let work = queue.next() { work(number) }
            }
        }
    }

    deinit { queue.close(workers: count) }

    /// Runs `body` on one of the threads; it gets the thread's number, from 0 on.
    /// - Parameters:
    ///   - key: what it is done for, such as a user. Work of one key begins in the order of asking, and keys take turns by
    ///     what their work costs (`FairTurns`).
    ///   - cost: in any unit; `turnCost` is a turn.
    package func run<Result: Sendable>(
        for key: String = "", cost: Int = WorkerThreads.turnCost, _ body: @escaping @Sendable (Int) -> Result
    ) async -> Result {
        if Self.runsInline.load(ordering: .relaxed) { return body(0) }
        return await withCheckedContinuation { continuation in
            queue.add(key, cost) { continuation.resume(returning: body($0)) }
        }
    }

    /// Has a job done on one of the threads, and does not wait for it.
    func submit(
        for key: String = "", cost: Int = WorkerThreads.turnCost, _ job: @escaping @Sendable () -> Void
    ) {
        if Self.runsInline.load(ordering: .relaxed) { return job() }
        queue.add(key, cost) { _ in job() }
    }
}

/// Work that waits for a thread.
private final class WorkQueue: Sendable {
    private struct Work {
        var cost: Int
        var body: @Sendable (Int) -> Void
    }

    private let turns = BusyMutex(FairTurns<String, Work>(quantum: WorkerThreads.turnCost))
    private let bell = DispatchSemaphore(value: 0)

    func add(_ key: String, _ cost: Int, _ body: @escaping @Sendable (Int) -> Void) {
        turns.withLock { $0.append(Work(cost: cost, body: body), for: key) }
        bell.signal()
    }

    func close(workers: Int) { for _ in 0..<workers { bell.signal() } }

    /// The next work, waited for; nil when there will be none.
    func next() -> (@Sendable (Int) -> Void)? {
        bell.wait()
        return turns.withLock { turns in
            guard let (key, work) = turns.next() else { return nil }
            turns.charge(work.cost, to: key)
            return work.body
        }
    }
}
