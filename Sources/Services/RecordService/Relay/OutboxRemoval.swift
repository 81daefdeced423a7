import CloudModel
import Continuity
import RecordStore
import Stages
import Synchronization
import Timing
import Waiting

/// Notes in the store which rows of the outbox are published, beside the publishing of the next ones, so that no change
/// waits for it; and removes them once they were kept for long enough.
///
/// The log acknowledges entries in the memory of its brokers. A power cut of all of them takes that: kept rows are
/// published once more, under the same names, as after a crash.
final class OutboxRemoval: Sendable {
    /// The time for which published rows stay noted in memory only, so that one write is that of many saves: each write
    /// is synced by itself, and takes turns with the saves.
    private static let pause = Duration.milliseconds(50)
    /// The parts of the time of keeping after which rows are looked at that no later rows follow.
    private static let looks = 4

    private struct Due {
        var through: CommitSequence
        var identity: ScopeIdentity
    }

    private let store: any RecordStore
    private let due = Mutex<Due?>(nil)
    private let kept: Mutex<KeptRows>
    private let time: Duration
    private let bell = Bell<Int>()
    /// The copy in the store, as it was written last.
    private let stored: Mutex<ScopeIdentity>

    /// - Parameter identity: the copy that the store has now.
    init(store: any RecordStore, identity: ScopeIdentity, keeping: OutboxKeeping = .none) {
        self.store = store
        stored = Mutex(identity)
        kept = Mutex(KeptRows(keeping))
        time = keeping.time
    }

    /// Notes that rows are published.
    /// - Parameters:
    ///   - rows: in the order of their sequences; not empty.
    ///   - before: the last subscription event below them.
    ///   - identity: the identity record that says so.
    func note(_ rows: [OutboxRow], after before: LastSubscription, _ identity: ScopeIdentity) {
        guard let last = rows.last?.sequence else { return }
        kept.withLock { $0.add(rows, after: before, at: Time.now) }
        due.withLock { $0 = Due(through: last, identity: identity) }
        bell.ring(0)
    }

    /// Notes and removes rows until the task is cancelled.
    /// - Throws: `StageRefusal` if a repair came meanwhile.
    func run() async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    while true {
                        try await self.bell.wait(for: 0, until: { self.due.withLock { $0 != nil } })
                        try await Time.sleep(for: Self.pause)
                        try await self.write()
                    }
                }
                if time > .zero {
                    group.addTask {
                        while true {
                            try await Time.sleep(for: self.time / Self.looks)
                            try await self.removeOld()
                        }
                    }
                }
                try await group.next()
            }
        } catch is CancellationError {
            // An orderly end leaves nothing to be noted.
            try await Task { try await write() }.value
            throw CancellationError()
        }
    }

    private func write() async throws {
        guard let next = due.withLock({ $0.take() }) else { return }
        let known = stored.withLock { $0 }
        let old = kept.withLock { $0.takeOld(at: Time.now) }
        try await store.write(in: .whole) { transaction in
            // A repair may have come while it was published: it knows other halves.
            try RelayIdentity.checkUnchanged(known, transaction)
            try PublishedRows.note(next.through, transaction)
            if let old { try transaction.remove(old) }
            try RelayIdentity.keep(next.identity, transaction)
        }
        stored.withLock { $0 = next.identity }
        KillPoint.reach(.relayRemoved)
        try await removeOld()
    }

    /// Removes the rows that were kept for long enough, each transaction as many as others may wait for.
    private func removeOld() async throws {
        while let old = kept.withLock({ $0.takeOld(at: Time.now) }) {
            let known = stored.withLock { $0 }
            try await store.write(in: .whole) { transaction in
                try RelayIdentity.checkOwned(known, transaction)
                try transaction.remove(old)
            }
        }
    }
}

extension StoreTransaction {
    /// Removes published rows.
    func remove(_ rows: KeptRows.Old) throws {
        try removeOutbox(through: rows.through, lastSubscription: rows.lastSubscription.sequence)
    }
}
