@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// The default executor of the whole process: every job of every task waits in `Scheduler` for its turn. It has no
/// threads: `Scheduler.run` works on the calling one.
///
/// A preference for an executor (`withTaskExecutorPreference`) would not do: the stages make tasks of their own with
/// `Task {}`, which do not inherit it. The API of Swift 6.3 for the purpose is not for products yet, hence the two
/// SPIs; this program is a test.
final class SimulatedExecutor: TaskExecutor, SchedulingExecutor {
    func enqueue(_ job: consuming ExecutorJob) { Scheduler.shared.enqueue(UnownedJob(job)) }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
        Scheduler.shared.enqueue(UnownedJob(job), after: delay as? Duration ?? .zero)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
        let delay = clock.now.duration(to: instant)
        Scheduler.shared.enqueue(UnownedJob(job), after: delay as? Duration ?? .zero)
    }
}

/// Makes the simulated executor the default one.
struct SimulatedExecutors: ExecutorFactory {
    static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
    static let defaultExecutor: any TaskExecutor = SimulatedExecutor()

    /// Has to be called before the first task of the process.
    static func install() { _createExecutors(factory: SimulatedExecutors.self) }
}
