package import EventLog
import Synchronization

/// A log over another one that fails on demand, to test a stage's reaction.
package final class FailingLog: ForwardingLog {
    /// How one call fails.
    package enum Failure: Sendable {
        /// Nothing of it is done.
        case before
        /// Only the first entries of an append are stored.
        case partWay(Int)
        /// All is done, and the caller gets a failure.
        case after
    }

    package let base: any EventLog
    private let decide: @Sendable (_ call: Int) -> Failure?
    private let calls = Atomic(0)
    private let failures = Atomic(0)

    /// - Parameter decide: says of each append and each commit of state, counted from 1, whether it fails.
    package init(_ base: any EventLog, failing decide: @escaping @Sendable (_ call: Int) -> Failure?) {
        self.base = base
        self.decide = decide
    }

    /// How many calls have failed.
    package var failureCount: Int { failures.load(ordering: .relaxed) }

    package func makeWriter() async throws -> any LogWriter {
        FailingWriter(base: try await base.makeWriter(), log: self)
    }

    package func takeOver(_ claim: StateClaim) async throws -> any LogStateSession {
        FailingSession(base: try await base.takeOver(claim), log: self)
    }

    /// How many appends and commits there were.
    package var callCount: Int { calls.load(ordering: .relaxed) }

    fileprivate func nextFailure() -> Failure? {
        let failure = decide(calls.add(1, ordering: .relaxed).newValue)
        if failure != nil { failures.add(1, ordering: .relaxed) }
        return failure
    }
}

/// A writer that dies with its first failure.
private final class FailingWriter: LogWriter {
    private let base: any LogWriter
    private let log: FailingLog
    private let isDead = Atomic(false)

    init(base: any LogWriter, log: FailingLog) {
        self.base = base
        self.log = log
    }

    func append(_ entries: [OutgoingEntry]) async throws {
        guard !isDead.load(ordering: .sequentiallyConsistent) else { throw LogError.writeFailed("the writer is dead") }
        guard let failure = log.nextFailure() else { return try await base.append(entries) }
        isDead.store(true, ordering: .sequentiallyConsistent)
        switch failure {
        case .before: break
        case .partWay(let count): try await base.append(Array(entries.prefix(count)))
        case .after: try await base.append(entries)
        }
        throw LogError.writeFailed("the test wants it so")
    }

    func close() async { await base.close() }
}

/// A session whose commits may fail, done or not.
private final class FailingSession: ForwardingSession {
    let base: any LogStateSession
    private let log: FailingLog

    init(base: any LogStateSession, log: FailingLog) {
        self.base = base
        self.log = log
    }

    func commit(_ changes: [[UInt8]: [UInt8]?], offset: Int64, at time: LogTimestamp) async throws {
        let failure = log.nextFailure()
        if case .before? = failure { throw LogError.unavailable("the test wants it so") }
        try await base.commit(changes, offset: offset, at: time)
        if failure != nil { throw LogError.unavailable("the test wants it so") }
    }
}
