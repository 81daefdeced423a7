import Glibc
import Synchronization

/// Threads that take jobs off one list, in the order in which they came.
///
/// `@unchecked Sendable`: the semaphore is used from any thread, as semaphores are; the list has its lock.
final class WorkThreads: @unchecked Sendable {
    private struct Jobs {
        var waiting: [@Sendable () -> Void] = []
        var isEnding = false
    }

    private let count: Int
    private let jobs = Mutex(Jobs())
    /// Counts jobs, and at the end one more for each thread.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init(count: Int) {
        self.count = count
        sem_init(semaphore, 0, 0)
        for _ in 0..<count { start() }
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func submit(_ job: @escaping @Sendable () -> Void) {
        jobs.withLock { $0.waiting.append(job) }
        sem_post(semaphore)
    }

    /// Ends the threads after what was submitted.
    func end() {
        jobs.withLock { $0.isEnding = true }
        for _ in 0..<count { sem_post(semaphore) }
    }

    /// A detached thread, without the signals that the process handles elsewhere; it keeps the list alive.
    private func start() {
        let context = Unmanaged.passRetained(self).toOpaque()
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, runJobs, context)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        precondition(code == 0, "could not start a thread: \(String(cString: strerror(code)))")
        pthread_detach(thread)
    }

    /// The life of a thread.
    fileprivate func takeJobs() {
        while true {
            guard sem_wait(semaphore) == 0 else { continue }
            let (job, isOver) = jobs.withLock { jobs in
                (jobs.waiting.isEmpty ? nil : jobs.waiting.removeFirst(), jobs.isEnding)
            }
            if let job { job() } else if isOver { return }
        }
    }
}

private func runJobs(context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<WorkThreads>.fromOpaque(context).takeRetainedValue().takeJobs()
    return nil
}
