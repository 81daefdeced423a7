import Dispatch
package import Synchronization

/// Threads for long work, which must not run on Swift's own pool. They end when the last reference is released and the
/// work is done.
package final class WorkerThreads: Sendable {
    /// Bytes of a thread's stack: what foreign input may need is tested on half of it.
    private static let stackBytes = 1 << 20

    /// True in a process that simulates: there are no threads, and the caller does the work at once.
    package static let runsInline = Atomic(false)

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

    /// Runs `body` on one of the threads, in the order of asking; it gets the thread's number, from 0 on.
    package func run<Result: Sendable>(_ body: @escaping @Sendable (Int) -> Result) async -> Result {
        if Self.runsInline.load(ordering: .relaxed) { return body(0) }
        return await withCheckedContinuation { continuation in
            queue.add { continuation.resume(returning: body($0)) }
        }
    }

    /// Has a job done on one of the threads, in the order of asking, and does not wait for it.
    func submit(_ job: @escaping @Sendable () -> Void) {
        if Self.runsInline.load(ordering: .relaxed) { return job() }
        queue.add { _ in job() }
    }
}

/// Work that waits for a thread.
private final class WorkQueue: Sendable {
    private let work = BusyMutex<[@Sendable (Int) -> Void]>([])
    private let bell = DispatchSemaphore(value: 0)

    func add(_ body: @escaping @Sendable (Int) -> Void) {
        work.withLock { $0.append(body) }
        bell.signal()
    }

    func close(workers: Int) { for _ in 0..<workers { bell.signal() } }

    /// The next work, waited for; nil when there will be none.
    func next() -> (@Sendable (Int) -> Void)? {
        bell.wait()
        return work.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
