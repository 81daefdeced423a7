import Synchronization

/// One call of `PostgreSQLPool.run`, and its cancellation.
final class PoolCall: Sendable {
    private enum Phase {
        case waiting
        case running(PostgreSQLCanceller)
        case ended
    }

    private let state = Mutex<(phase: Phase, isCancelled: Bool)>((.waiting, false))

    /// True once the caller's task is cancelled.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the running statement, if there is one, and refuses further ones.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // Under the lock: afterwards the connection may run the work of others.
            if case .running(let canceller) = state.phase { canceller.stop() }
        }
    }

    /// Notes that a connection runs the closure. Returns false if the call is cancelled.
    func begin(_ canceller: PostgreSQLCanceller) -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.phase = .running(canceller) }
            return !state.isCancelled
        }
    }

    /// Notes that the closure has ended.
    func end() { state.withLock { $0.phase = .ended } }
}

/// The closure of a call, type-erased.
struct PoolWork: Sendable {
    let call: PoolCall
    /// Runs the closure, and returns what answers the caller with its value.
    let attempt: @Sendable (PostgreSQLConnection) throws -> @Sendable () -> Void
    /// Answers the caller with an error.
    let refusal: @Sendable (any Error) -> Void

    /// Runs the closure and answers the caller, once the connection is good for others or lost.
    func run(on connection: PostgreSQLConnection) {
        guard call.begin(connection.canceller) else { return refusal(CancellationError()) }
        let result = Result { try connection.lend { try attempt(connection) } }
        call.end()
        connection.canceller.reset()
        switch result {
        case .success(let answer): answer()
        case .failure(let error):
            let isOfCancellation = (error as? PostgreSQLError)?.kind == .cancelled && call.isCancelled
            refusal(isOfCancellation ? CancellationError() : error)
        }
    }
}

extension PostgreSQLConnection {
    /// Runs a closure that leaves no transaction open and no statement queued, or else the connection is lost.
    fileprivate func lend<Result>(_ body: () throws -> Result) throws -> Result {
        let timeout = answerTimeout
        defer { answerTimeout = timeout }
        do {
            let result = try body()
            try flush()
            guard !isInTransaction else {
                throw PostgreSQLError(.misuse, "the closure left a transaction open", attempt: "run")
            }
            return result
        } catch {
            if isInTransaction || isBeginQueued { rollback() }
            // They would run with the next caller's.
            if !pipeline.isEmpty { wire.lose(.connectionLost, "a closure failed before its flush") }
            throw error
        }
    }
}
