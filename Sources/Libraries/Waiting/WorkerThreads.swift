import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Some threads for work that takes long, which Swift's own pool must not do. They end when nobody holds this any more and
/// what was asked for is done.
package final class WorkerThreads: Sendable {
    /// The number of threads.
    package let count: Int
    private let queue = WorkQueue()

    /// Starts so many threads.
    package init(count: Int) {
        precondition(count > 0, "there is nobody to do the work")
        self.count = count
        for number in 0..<count {
            let worker = Worker(number: number, queue: queue)
            worker.start()
        }
    }

    deinit { queue.close(workers: count) }

    /// Runs `body` on one of the threads, in the order of asking; it gets the thread's number, from 0 on.
    package func run<Result: Sendable>(_ body: @escaping @Sendable (Int) -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.add { continuation.resume(returning: body($0)) }
        }
    }

    /// Has a job done on one of the threads, in the order of asking, and does not wait for it.
    func submit(_ job: @escaping @Sendable () -> Void) { queue.add { _ in job() } }
}

/// Work that waits for a thread.
private final class WorkQueue: Sendable {
    private let work = Mutex<[@Sendable (Int) -> Void]>([])
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

/// One thread's part.
private final class Worker: Sendable {
    /// Bytes of the stack: what foreign input may need is tested on half of it.
    private static let stackBytes = 1 << 20
    let number: Int
    let queue: WorkQueue

    init(number: Int, queue: WorkQueue) {
        self.number = number
        self.queue = queue
    }

    func start() {
        let context = Unmanaged.passRetained(self).toOpaque()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, Self.stackBytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // Signals are handled elsewhere in the process.
        pthread_sigmask(SIG_BLOCK, &all, &before)
        var thread = pthread_t()
        let code = pthread_create(&thread, &attributes, runWorker, context)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        pthread_attr_destroy(&attributes)
        precondition(code == 0, "could not start a thread: \(code)")
    }

    func run() { while let work = queue.next() { work(number) } }
}

private func runWorker(context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
