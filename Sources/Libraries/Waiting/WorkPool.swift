import Synchronization

/// A few threads of its own for long synchronous work, fair between keys: Swift's pool, which has a thread a core for
/// everything that awaits, stays free.
package final class WorkPool<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var line: FairLine<Key>
        var waiting: [UInt64: Job<Key>] = [:]
    }

    private let state: BusyMutex<State>
    private let threads: WorkerThreads
    private let alarms = AlarmClock()

    /// Starts the threads, which end with the pool.
    /// - Parameters:
    ///   - share: threads that work of one key may take at once.
    ///   - waitersOfKey: how many of one key may wait.
    ///   - waitersMaximum: how many may wait at all.
    package init(threads: Int, share: Int, waitersOfKey: Int, waitersMaximum: Int = 1024) {
        state = BusyMutex(
            State(
                line: FairLine(
                    capacity: threads, share: share, waitersOfKey: waitersOfKey, waitersMaximum: waitersMaximum)))
        self.threads = WorkerThreads(count: threads)
    }

    /// The number of those who wait for a thread.
    package var waitingCount: Int { state.withLock(\.line.waitingCount) }

    /// Threads without work.
    package var room: Int { state.withLock(\.line.room) }

    /// Runs work on one of the threads and returns its result. Work that is cancelled while it waits does not start;
    /// while it runs, it has to check for itself, and its end is waited for.
    /// - Parameter work: gets a function that returns true after a cancellation.
    /// - Throws: `WaitingRefusal`, `CancellationError`, and errors of the work.
    package func run<Result: Sendable>(
        for key: Key, waitingAtMost limit: Duration? = nil,
        _ work: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Result
    ) async throws -> Result {
        let ticket = WorkTicket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(
                    Job(key: key, ticket: ticket, limit: limit) { error in
                        let result = Swift.Result {
                            if let error { throw error }
                            return try work { ticket.isCancelled }
                        }
                        return { continuation.resume(with: result) }
                    })
            }
        } onCancel: {
            ticket.cancel()
            withdraw(ticket, of: key, CancellationError())
        }
    }

    private func enter(_ job: Job<Key>) {
        let entry = state.withLock { state in
            let entry = job.ticket.isCancelled ? nil : state.line.enter(job.key, 1)
            if case .waits(let number) = entry {
                state.waiting[number] = job
                job.ticket.number.store(number, ordering: .relaxed)
            }
            return entry
        }
        switch entry {
        case .entered: start(job)
        case .refused(let refusal): job.fail(refusal)
        case nil: job.fail(CancellationError())
        case .waits:
            guard let limit = job.limit else { return }
            let (ticket, key) = (job.ticket, job.key)
            let alarm = alarms.call(after: limit) { [weak self] in
                self?.withdraw(ticket, of: key, WaitingRefusal.timedOut)
            }
            // It may be at work already, or done.
            if let alarm = job.ticket.keep(alarm) { alarms.cancel(alarm) }
        }
    }

    /// Runs an admitted job on one of the threads, and after it the jobs that its end admits, without waking another
    /// thread.
    private func start(_ first: Job<Key>) {
        // The thread keeps what it was given until it has nothing more to do: a job, and what that holds, ends before.
        let slot = Slot(first)
        threads.submit { [self] in
            var next = slot.take()
            while let job = next {
                if let alarm = job.ticket.dropAlarm() { alarms.cancel(alarm) }
                let finish = job.work(job.ticket.isCancelled ? CancellationError() : nil)
                let admitted = state.withLock { state in
                    state.line.leave(job.key, 1).compactMap { state.waiting.removeValue(forKey: $0) }
                }
                finish()
                next = admitted.first
                for job in admitted.dropFirst() { start(job) }
            }
        }
    }

    /// Takes a job out of the line, if it still waits.
    private func withdraw(_ ticket: WorkTicket, of key: Key, _ error: any Error) {
        let (left, admitted) = state.withLock { state in
            let number = ticket.number.load(ordering: .relaxed)
            let admitted = state.line.withdraw(key, number) ?? []
            return (
                state.waiting.removeValue(forKey: number), admitted.compactMap { state.waiting.removeValue(forKey: $0) }
            )
        }
        if let alarm = ticket.dropAlarm() { alarms.cancel(alarm) }
        left?.fail(error)
        for job in admitted { start(job) }
    }
}

/// Work that was asked for.
private struct Job<Key: Sendable>: Sendable {
    let key: Key
    let ticket: WorkTicket
    let limit: Duration?
    /// Works, unless it gets an error; returns a closure that resumes the caller.
    let work: @Sendable (_ error: (any Error)?) -> (@Sendable () -> Void)

    func fail(_ error: any Error) { work(error)() }
}

/// A job on its way to a thread.
private final class Slot<Key: Sendable>: Sendable {
    private let job: Mutex<Job<Key>?>

    init(_ job: Job<Key>) { self.job = Mutex(job) }

    func take() -> Job<Key>? { job.withLock { $0.take() } }
}
