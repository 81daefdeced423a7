import Synchronization

/// A few threads of its own for long synchronous work, fair between keys: Swift's pool, which has a thread a core for
/// everything that awaits, stays free.
package final class WorkPool<Key: Hashable & Sendable>: Sendable {
    private let gate: FairGate<Key>
    private let threads: WorkerThreads

    /// Starts the threads, which end with the pool.
    /// - Parameters:
    ///   - share: threads that work of one key may take at once.
    ///   - waitersOfKey: how many of one key may wait.
    ///   - waitersMaximum: how many may wait at all.
    package init(
        threads: Int, share: Int, waitersOfKey: Int, waitersMaximum: Int = 1024,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        gate = FairGate(
            capacity: threads, share: share, waitersOfKey: waitersOfKey, waitersMaximum: waitersMaximum, clock: clock)
        self.threads = WorkerThreads(count: threads)
    }

    /// The number of those who wait for a thread.
    package var waitingCount: Int { gate.waitingCount }

    /// Threads without work.
    package var room: Int { gate.room }

    /// Runs work on one of the threads and returns what it returns. Work that is cancelled while it waits is not begun; while
    /// it runs, it has to ask now and then, and its end is waited for.
    /// - Parameter work: is given what tells whether the task was cancelled.
    /// - Throws: `WaitingRefusal`, `CancellationError`, and what the work throws.
    package func run<Result: Sendable>(
        for key: Key, waitingAtMost limit: Duration? = nil,
        _ work: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Result
    ) async throws -> Result {
        try await gate.pass(1, for: key, waitingAtMost: limit) {
            let flag = Flag()
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    // The gate lets in no more than there are threads.
                    threads.submit {
                        continuation.resume(with: Swift.Result { try work { flag.isRaised } })
                    }
                }
            } onCancel: {
                flag.raise()
            }
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isRaised: Bool { value.load(ordering: .relaxed) }

        func raise() { value.store(true, ordering: .relaxed) }
    }
}
