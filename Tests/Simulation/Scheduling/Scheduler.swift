import Synchronization
import TestSupport

/// Runs all tasks of the process on one thread, in an order that a seed chooses, in a time of its own.
///
/// A job is the run of a task from one suspension to the next. Each step chooses one of the ready jobs; time does not
/// pass while there is one, or jumps to the next timer by chance: an asynchronous system gives no promise about
/// durations.
final class Scheduler: Sendable {
    static let shared = Scheduler()

    private struct Timer {
        var due: Duration
        var number: Int
        /// The due work: a job of Swift's own sleep, or a continuation of `pass`.
        var work: Work
    }

    private enum Work {
        case job(UnownedJob)
        case waiting(CheckedContinuation<Void, Never>)
    }

    private struct State {
        var random = SeededGenerator(seed: 0)
        var ready: [UnownedJob] = []
        var timers: [Timer] = []
        var time = Duration.zero
        var steps = 0
        var timerCount = 0
        /// The duration of the pause whose job comes next.
        var intended: Duration?
        /// A digest of all choices: two runs of one history have the same.
        var digest: UInt64 = 0
    }

    /// One of as many steps goes to the next timer while others could run.
    private static let timersOneIn: UInt64 = 64

    private let state = Mutex(State())

    /// Begins a history.
    func reset(seed: UInt64) {
        state.withLock { state in
            state.random = SeededGenerator(seed: seed)
            state.time = .zero
            state.steps = 0
            state.timerCount = 0
            state.digest = seed
            state.timers = []
            state.ready = []
            state.intended = nil
        }
    }

    /// Jobs run since the beginning.
    var steps: Int { state.withLock { $0.steps } }

    /// The time since the beginning, in the simulation's time.
    var time: Duration { state.withLock { $0.time } }

    /// The digest of everything that was chosen so far.
    var digest: UInt64 { state.withLock { $0.digest } }

    /// Adds an event to the digest, which distinguishes histories.
    func note(_ value: UInt64) {
        state.withLock { $0.digest = ($0.digest ^ value) &* 0x100_0000_01b3 }
    }

    /// A number from 0 to less than a bound, by the seed.
    func random(below bound: Int) -> Int { state.withLock { Int.random(in: 0..<bound, using: &$0.random) } }

    /// True once in so many times.
    func chance(oneIn count: Int) -> Bool { random(below: count) == 0 }

    /// Lets time pass at once, as if the machine had slept: due work comes next, once.
    func leap(by duration: Duration) { state.withLock { $0.time += duration } }

    func enqueue(_ job: UnownedJob) { state.withLock { $0.ready.append(job) } }

    /// Notes the duration of the pause that is about to begin. Its deadline comes in the machine's time, and a thread that
    /// stood still in between would make it a shorter one, and the history another one.
    /// - Throws: `CancellationError`, where no pause begins.
    func intended(_ duration: Duration) throws -> Duration {
        try Task.checkCancellation()
        state.withLock { $0.intended = duration }
        return duration
    }

    func enqueue(_ job: UnownedJob, after delay: Duration) {
        let delay = state.withLock { $0.intended.take() } ?? delay
        // Other deadlines are some microseconds after they were made: rounded up to the tenth of a second they are as
        // intended.
        let tenths = (delay / .milliseconds(100)).rounded(.up)
        // A short pause that is over by then, as the machine had other things to do, is one all the same.
        add(.job(job), after: .milliseconds(100) * Int(max(tenths, 1)))
    }

    /// Lets some of the simulation's time pass, whether the task is cancelled or not.
    func pass(_ duration: Duration) async {
        await withCheckedContinuation { add(.waiting($0), after: duration) }
    }

    private func add(_ work: Work, after delay: Duration) {
        state.withLock { state in
            state.timerCount += 1
            let timer = Timer(due: state.time + delay, number: state.timerCount, work: work)
            let place = state.timers.firstIndex { $0.due > timer.due } ?? state.timers.endIndex
            state.timers.insert(timer, at: place)
        }
    }

    /// Runs jobs until a condition holds, as many as there may be.
    /// - Returns: false when they are used up, or nothing is left that could run.
    func run(steps maximum: Int, until isDone: () -> Bool) -> Bool {
        // No executor: jobs of the global pool belong to none, and Swift has no public name for that. A job that runs
        // on none hops to an actor's executor whenever it needs it, and the hop comes back here as a job.
        let executor = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)
        var left = maximum
        while !isDone() {
            guard left > 0, let work = next() else { return false }
            left -= 1
            switch work {
            case .job(let job): job.runSynchronously(on: executor)
            case .waiting(let continuation): continuation.resume()
            }
        }
        return true
    }

    private func next() -> Work? {
        state.withLock { state in
            state.steps += 1
            let draw = state.random.next()
            state.digest = (state.digest ^ UInt64(state.ready.count)) &* 0x100_0000_01b3
            if !state.ready.isEmpty, state.timers.isEmpty || draw % Self.timersOneIn != 0 {
                let index = Int((draw >> 8) % UInt64(state.ready.count))
                state.ready.swapAt(index, state.ready.count - 1)
                return .job(state.ready.removeLast())
            }
            guard !state.timers.isEmpty else { return nil }
            let timer = state.timers.removeFirst()
            state.time = max(state.time, timer.due)
            return timer.work
        }
    }
}
