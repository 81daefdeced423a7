import Synchronization
import Timing
import Waiting

/// The threads of a pool, and the line before them.
final class PoolCore: Sendable {
    private struct State {
        var line: PoolLine<PoolWork>
        /// Work that idle workers were woken for.
        var assigned: [Int: PoolWork] = [:]
        var pauses: [Int: Task<Void, Never>] = [:]
        var opened = 0
    }

    private let state: BusyMutex<State>
    private let size: PostgreSQLPoolConfiguration
    private let open: @Sendable () throws -> PostgreSQLConnection
    private let clock = Time.source
    private let bells: [ThreadSignal]
    private let end = Inbox<Never>()
    private let workers: Atomic<Int>

    /// - Parameter open: makes a connection.
    init(_ size: PostgreSQLPoolConfiguration, open: @escaping @Sendable () throws -> PostgreSQLConnection) {
        self.size = size
        self.open = open
        let count = max(1, size.connections)
        state = BusyMutex(State(line: PoolLine(workers: count, waitersMaximum: size.waitersMaximum)))
        bells = (0..<count).map { _ in ThreadSignal() }
        workers = Atomic(count)
    }

    var openCount: Int { state.withLock { $0.line.openCount } }
    var waitingCount: Int { state.withLock { $0.line.waitingCount } }
    var openedCount: Int { state.withLock { $0.opened } }
    var outage: (any Error)? { state.withLock { $0.line.outage } }

    /// Starts the threads, which keep this object until `close`.
    func start() {
        for worker in bells.indices {
            DedicatedThread.start(named: "postgresql-\(worker)") { [self] in
                run(worker)
                if workers.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { end.end() }
            }
        }
    }

    // MARK: Callers

    func submit(_ work: PoolWork, isFirst: Bool = false) {
        let admission = state.withLock { state -> PoolLine<PoolWork>.Admission in
            // `cancel` sets it before it looks into the line.
            if work.call.isCancelled { return .refused(CancellationError()) }
            let admission = state.line.submit(work, isFirst: isFirst)
            if case .assigned(let worker) = admission { state.assigned[worker] = work }
            return admission
        }
        switch admission {
        case .assigned(let worker): bells[worker].signal()
        case .waiting: break
        case .refused(let error): work.refusal(error)
        }
    }

    func cancel(_ call: PoolCall) {
        call.cancel()
        let waiting = state.withLock { $0.line.withdraw { $0.call === call } }
        waiting?.refusal(CancellationError())
    }

    func close() {
        let (refused, idle, pauses) = state.withLock { state in
            let (refused, idle) = state.line.close()
            return (refused, idle, state.pauses)
        }
        for work in refused { work.refusal(PoolLine<PoolWork>.closed) }
        for worker in idle { bells[worker].signal() }
        for pause in pauses.values { pause.cancel() }
    }

    func ended() async { await end.ended() }

    // MARK: Threads

    private func run(_ worker: Int) {
        // Attempts since a connection was good for something.
        var attempts = 0
        while pause(worker, after: attempts) {
            attempts += 1
            guard let connection = connect(worker) else { continue }
            while let work = next(worker) {
                // One that the server ended while it was idle leaves the work good for another.
                let isAlive = connection.isAlive()
                if isAlive { work.run(on: connection) }
                if connection.isLost {
                    state.withLock { $0.line.connecting(worker) }
                    if !isAlive { submit(work, isFirst: true) }
                    break
                }
                attempts = 0
            }
        }
    }

    /// Waits before an attempt, none after a connection that was good. Returns false once the pool is closed.
    private func pause(_ worker: Int, after attempts: Int) -> Bool {
        let pause = size.pause(after: attempts, random: .random(in: 0...1))
        let bell = bells[worker]
        let isPausing = state.withLock { state in
            guard pause > .zero, !state.line.isClosed else { return false }
            state.pauses[worker] = Task.detached { [clock] in
                try? await clock.sleep(for: pause)
                bell.signal()
            }
            return true
        }
        if isPausing { bell.wait() }
        return state.withLock { state in
            state.pauses[worker] = nil
            if !state.line.isClosed { state.line.connecting(worker) }
            return !state.line.isClosed
        }
    }

    private func connect(_ worker: Int) -> PostgreSQLConnection? {
        do {
            let connection = try open()
            state.withLock { state in
                state.line.connected()
                state.opened += 1
            }
            return connection
        } catch {
            let refused = state.withLock { $0.line.failed(worker, error) }
            for work in refused { work.refusal(error) }
            return nil
        }
    }

    /// The next work, waited for; nil once the pool is closed.
    private func next(_ worker: Int) -> PoolWork? {
        let (work, mustWait) = state.withLock { state in
            let work = state.line.next(worker)
            return (work, work == nil && !state.line.isClosed)
        }
        guard mustWait else { return work }
        bells[worker].wait()
        return state.withLock { $0.assigned.removeValue(forKey: worker) }
    }
}
