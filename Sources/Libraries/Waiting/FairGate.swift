/// Lets work in while there is room for what it needs, fair between keys (users, tokens, addresses): see `FairLine`.
///
/// One who waits holds no thread, and leaves when its task is cancelled or its time is over.
package final class FairGate<Key: Hashable & Sendable>: Sendable {
    private enum Outcome {
        case entered
        case left(any Error)
    }

    private struct State {
        var line: FairLine<Key>
        var waiting: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
        /// The decision that was made before its continuation was there.
        var decided: [UInt64: Outcome] = [:]

        /// The continuation to resume, if it is there.
        mutating func settle(_ number: UInt64, _ outcome: Outcome) -> Resumption? {
            if let continuation = waiting.removeValue(forKey: number) {
                return Resumption(continuation: continuation, outcome: outcome)
            }
            decided[number] = outcome
            return nil
        }
    }

    private struct Resumption {
        var continuation: CheckedContinuation<Outcome, Never>
        var outcome: Outcome
    }

    private let state: BusyMutex<State>
    private let alarms = AlarmClock()

    /// An empty gate.
    /// - Parameters:
    ///     - capacity: units that all work inside may hold together.
    ///     - share: units that the work of one key may hold together; a larger request gets in while its key holds
    ///     none.
    ///     - waitersOfKey: waiting requests of one key.
    ///     - waitersMaximum: waiting requests in all.
    package init(capacity: Int, share: Int, waitersOfKey: Int, waitersMaximum: Int = 1024) {
        let line = FairLine<Key>(
            capacity: capacity, share: share, waitersOfKey: waitersOfKey, waitersMaximum: waitersMaximum)
        state = BusyMutex(State(line: line))
    }

    /// Units that nobody holds.
    package var room: Int { state.withLock(\.line.room) }

    /// The number of those who wait.
    package var waitingCount: Int { state.withLock(\.line.waitingCount) }

    /// Works once there is room for the units; a request over the capacity works alone.
    /// - Throws: `WaitingRefusal`, `CancellationError` if the task was cancelled before it got in, and errors of the
    ///   work.
    package func pass<Result>(
        _ units: Int, for key: Key, waitingAtMost limit: Duration? = nil,
        _ work: () async throws -> Result
    ) async throws -> Result {
        try await enter(units, key, limit)
        defer { leave(units, key) }
        try Task.checkCancellation()
        return try await work()
    }

    private func enter(_ units: Int, _ key: Key, _ limit: Duration?) async throws {
        let number: UInt64
        switch state.withLock({ $0.line.enter(key, units) }) {
        case .entered: return
        case .refused(let refusal): throw refusal
        case .waits(let waiting): number = waiting
        }
        let alarm = limit.map { limit in
            alarms.call(after: limit) { [weak self] in self?.withdraw(key, number, WaitingRefusal.timedOut) }
        }
        defer { if let alarm { alarms.cancel(alarm) } }
        if case .left(let error) = await outcome(of: number, key) { throw error }
    }

    private func outcome(of number: UInt64, _ key: Key) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let decided = state.withLock { state in
                    if let decided = state.decided.removeValue(forKey: number) { return Outcome?.some(decided) }
                    state.waiting[number] = continuation
                    return nil
                }
                if let decided { continuation.resume(returning: decided) }
            }
        } onCancel: {
            withdraw(key, number, CancellationError())
        }
    }

    private func leave(_ units: Int, _ key: Key) {
        resume { state in state.line.leave(key, units).map { state.settle($0, .entered) } }
    }

    private func withdraw(_ key: Key, _ number: UInt64, _ error: any Error) {
        resume { state in
            guard let admitted = state.line.withdraw(key, number) else { return [] }
            return [state.settle(number, .left(error))] + admitted.map { state.settle($0, .entered) }
        }
    }

    private func resume(_ change: (inout sending State) -> [Resumption?]) {
        // Outside of the lock: a resumed task may come back at once.
        let resumption = state.withLock { state in change(&state) }
        for resumption in resumption { resumption?.continuation.resume(returning: resumption!.outcome) }
    }
}
