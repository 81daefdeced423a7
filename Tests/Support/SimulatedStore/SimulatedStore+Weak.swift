import CloudModel
package import RecordStore
import SQLite
package import Synchronization

@testable import SQLiteRecordStore

/// A store that is no stronger than the port: sequences have gaps, closures run again after others have committed, and
/// writes of different parts are committed in another order than that of their sequences, so that a row becomes visible
/// beside higher ones. Readers get a settled sequence that lags behind, and the outbox up to there.
extension SimulatedStore {
    /// A mistake that tests have to find: all that was taken is settled, whatever writes are open.
    package static let settlesWhatIsOpen = Atomic(false)

    /// The run of a closure, before it is undone or committed.
    struct Run<Result: Sendable>: Sendable {
        var result: Result
        /// The last sequence that it took or left out.
        var used: Int64
        var rows: [OutboxRow]
        /// The time of the last commit before it.
        var committed: Timestamp
        /// The number of the operator's act.
        var act: Int64?
    }

    /// Runs a write as chance has it.
    /// - Parameter pause: lets others go on; throws when the caller is gone.
    package func write<Result: Sendable>(
        in part: StorePart, pause: @Sendable () async throws -> Void,
        _ body: @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        guard state.withLock({ $0.weak != nil }) else { return try write(body) }
        defer { settleSoon() }
        switch choose(8) {
        case 0...2 where part != .whole:
            let pauses = 1 + choose(12)
            if let late = try await writeLate(in: part, pause: { for _ in 0..<pauses { try await pause() } }, body) {
                return late
            }
        case 3:
            try state.withLock { try Self.undo(body, &$0) }
            try await pause()
        default: break
        }
        return try commit(body, of: part)
    }

    /// Runs a write that takes its sequences first, and is committed after a pause.
    /// - Returns: nil if it met another one meanwhile, or took none: it has to run again.
    package func writeLate<Result: Sendable>(
        in part: StorePart, pause: @Sendable () async throws -> Void,
        _ body: @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result? {
        guard let number = try state.withLock({ try Self.hold(body, of: part, &$0) }) else { return nil }
        do {
            try await pause()
        } catch {
            state.withLock { $0.weak?.held[number] = nil }
            throw error
        }
        let run = try state.withLock { try Self.finish(number, body, &$0) }
        StoreAct.current?.committed(run?.act)
        return run?.result
    }

    private func commit<Result: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws -> Result, of part: StorePart
    ) throws -> Result {
        let run = try state.withLock { try Self.commit(body, of: part, &$0) }
        StoreAct.current?.committed(run.act)
        return run.result
    }

    /// Moves the settled sequence on, some time later.
    func settleSoon() {
        let pauses = choose(4) == 0 ? choose(40) : choose(4)
        Task {
            for _ in 0..<pauses { await Task.yield() }
            settle()
        }
    }

    /// Moves the settled sequence to where no write is open, and shows the rows up to there.
    package func settle() {
        let bells = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            guard let weak = state.weak else { return [] }
            let ignoresOpen = Self.settlesWhatIsOpen.load(ordering: .relaxed)
            let settled = max(weak.settled, ignoresOpen ? weak.taken : weak.horizon)
            state.weak?.settled = settled
            try? state.showSettled()
            let shown = weak.unsettled.prefix { $0.sequence.rawValue <= settled }
            guard !shown.isEmpty else { return [] }
            let transaction = SQLiteTransaction(state.connection)
            for row in shown { try? transaction.append(row) }
            state.weak?.unsettled.removeFirst(shown.count)
            return state.bells
        }
        for bell in bells { bell.yield() }
    }

    // MARK: Runs

    /// Runs a closure and undoes it; its sequences are used up.
    private static func undo<Result: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws -> Result, _ state: inout State
    ) throws {
        _ = try run(body, after: nil, &state)
        try state.connection.execute("ROLLBACK TO work; RELEASE work")
    }

    /// Runs a closure and undoes it, and keeps its sequences for when it is committed.
    private static func hold<Result: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws -> Result, of part: StorePart, _ state: inout State
    ) throws -> Int? {
        let before = state.nextBefore()
        let run = try run(body, after: before, &state)
        try state.connection.execute("ROLLBACK TO work; RELEASE work")
        guard !run.rows.isEmpty, var weak = state.weak else { return nil }
        weak.lastHeld += 1
        weak.held[weak.lastHeld] = WeakSequences.Held(
            part: part, before: before, last: run.used, rows: run.rows, committed: run.committed)
        state.weak = weak
        return weak.lastHeld
    }

    /// Commits a held write with its sequences, if nobody has met it and it still does the same.
    private static func finish<Result: Sendable>(
        _ number: Int, _ body: @Sendable (any StoreTransaction) throws -> Result, _ state: inout State
    ) throws -> Run<Result>? {
        guard let held = state.weak?.held.removeValue(forKey: number), !held.isVoid else { return nil }
        let run = try run(body, after: held.before, at: held.committed, &state)
        guard run.rows == held.rows, run.used == held.last else {
            try state.connection.execute("ROLLBACK TO work; RELEASE work")
            return nil
        }
        try state.keep(run.rows, of: held.part)
        return run
    }

    static func commit<Result: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws -> Result, of part: StorePart, _ state: inout State
    ) throws -> Run<Result> {
        let run = try run(body, after: nil, &state)
        try state.keep(run.rows, of: part)
        return run
    }

    /// Runs a closure in a savepoint, which stays open.
    /// - Parameters:
    ///   - before: the sequence before its first one; nil for the next, or one a little higher.
    ///   - time: the last commit's, as the closure is to see it; nil for the store's.
    private static func run<Result: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws -> Result, after before: Int64?, at time: Timestamp? = nil,
        _ state: inout State
    ) throws -> Run<Result> {
        let before = before ?? state.nextBefore()
        try state.connection.execute("SAVEPOINT work")
        var transaction = SQLiteTransaction(state.connection)
        transaction.capabilities.isShared = true
        transaction.pending.used = before
        let taken = state.weak?.taken ?? 0
        defer { state.weak?.taken = max(taken, transaction.pending.used ?? 0) }
        do {
            let last = try transaction.lastCommitTime()
            if let time { try transaction.noteCommitTime(time) }
            let result = try state.connection.moved.limiting(to: StoreWork.current?.left) { try body(transaction) }
            StoreWork.current?.add(transaction.movedBytes)
            try transaction.settle()
            let act = try StoreAct.current?.record(in: transaction)
            if try transaction.lastCommitTime() < last { try transaction.noteCommitTime(last) }
            let used = transaction.pending.used ?? before
            let rows = try transaction.outbox(after: CommitSequence(before), limit: 1_000_000, bytesMax: .max)
                .filter { $0.sequence.rawValue <= used }
            return Run(result: result, used: used, rows: rows, committed: last, act: act)
        } catch {
            try state.connection.execute("ROLLBACK TO work; RELEASE work")
            throw error
        }
    }
}

extension SimulatedStore.State {
    /// The sequence before the first of the next closure: some are left out.
    fileprivate func nextBefore() -> Int64 {
        guard let weak else { return 0 }
        // By the number itself, so that histories stay the same.
        return weak.taken + (weak.taken % 5 == 0 ? weak.taken % 7 : 0)
    }

    /// Makes the sequence that readers are handed that of the weak store.
    fileprivate func showSettled() throws {
        try connection.run("UPDATE store SET sequence = ?", .integer(weak?.settled ?? 0))
    }

    /// Commits the open savepoint. Its rows are shown once they are settled.
    fileprivate mutating func keep(_ rows: [OutboxRow], of part: StorePart) throws {
        try connection.execute("RELEASE work")
        try showSettled()
        let settled = weak?.settled ?? 0
        let late = rows.filter { $0.sequence.rawValue > settled }
        for row in late { try connection.run("DELETE FROM outbox WHERE sequence = ?", .integer(row.sequence.rawValue)) }
        let unsettled = (weak?.unsettled ?? []) + late
        weak?.unsettled = unsettled.sorted { $0.sequence < $1.sequence }
        committed = (committed + rows).sorted { $0.sequence < $1.sequence }
        weak?.meet(part, rows)
    }
}
