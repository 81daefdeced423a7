import Dispatch
import Synchronization
import Waiting

/// A few threads for the calls of one client that block, started when they are needed.
///
/// Calls run in the order they were made, as many at once as there are threads: with one thread they are serial.
final class CallThreads: Sendable {
    private struct State {
        var calls: [@Sendable (_ isClosed: Bool) -> Void] = []
        var threads = 0
        var idle = 0
        var isClosed = false
    }

    private let name: String
    private let threadsMax: Int
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(name: String, threadsMax: Int) {
        self.name = name
        self.threadsMax = threadsMax
    }

    /// Runs `body` on a thread of its own and returns its result; throws without running it after `close`. A cancelled
    /// caller returns at once, and a running body is left to itself.
    func run<Value: Sendable>(
        _ attempt: String, _ body: @escaping @Sendable () -> Result<Value, KafkaError>
    ) async throws(KafkaError) -> Value {
        let answer = Answer<Result<Value, KafkaError>>()
        enqueue { isClosed in
            guard !answer.isGiven else { return }
            answer.give(isClosed ? .failure(.closed(attempt)) : body())
        }
        return try await answer.value { .failure(.cancelled(attempt)) }.get()
    }

    /// Runs `call` on a thread of its own; `isClosed` says whether the threads were closed before its turn.
    func enqueue(_ call: @escaping @Sendable (_ isClosed: Bool) -> Void) {
        let (isAccepted, isThreadNeeded) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.calls.append(call)
            guard state.calls.count > state.idle, state.threads < threadsMax else { return (true, false) }
            state.threads += 1
            return (true, true)
        }
        guard isAccepted else { return call(true) }
        if isThreadNeeded { DedicatedThread.start(named: name) { self.serve() } }
        work.signal()
    }

    /// Refuses further calls, fails waiting ones, and blocks until the running ones have returned.
    func close() {
        let (calls, threads) = state.withLock { state in
            state.isClosed = true
            defer { state.calls = [] }
            return (state.calls, state.threads)
        }
        for call in calls { call(true) }
        for _ in 0..<threads { work.signal() }
        for _ in 0..<threads { ended.wait() }
    }

    private func serve() {
        while true {
            state.withLock { $0.idle += 1 }
            work.wait()
            let (call, isClosed) = state.withLock { state in
                state.idle -= 1
                return (state.calls.isEmpty ? nil : state.calls.removeFirst(), state.isClosed)
            }
            if let call { call(false) } else if isClosed { break }
        }
        ended.signal()
    }
}
