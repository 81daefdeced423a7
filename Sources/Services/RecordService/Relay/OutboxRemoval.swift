import CloudModel
import RecordStore
import Stages
import Synchronization
import Waiting

/// Removes rows of the outbox that were published, beside the publishing of the next ones: no change waits for it. What a crash leaves
/// is published again, under the same names.
final class OutboxRemoval: Sendable {
    /// The time for which published rows stand, so that one write removes those of many saves: each write is on disk by itself, and
    /// takes its turn with the saves.
    private static let pause = Duration.milliseconds(50)

    private struct Due {
        var through: CommitSequence
        var identity: ScopeIdentity
    }

    private let store: any RecordStore
    private let due = Mutex<Due?>(nil)
    private let bell = Bell<Int>()
    /// The copy in the store, as it was written last.
    private let stored: Mutex<ScopeIdentity>

    /// - Parameter identity: the copy that the store has now.
    init(store: any RecordStore, identity: ScopeIdentity) {
        self.store = store
        stored = Mutex(identity)
    }

    /// Notes that everything up to a sequence is published.
    /// - Parameter identity: the record of what belongs together, which says so.
    func note(_ through: CommitSequence, _ identity: ScopeIdentity) {
        due.withLock { $0 = Due(through: through, identity: identity) }
        bell.ring(0)
    }

    /// Removes what is noted, until the task is cancelled.
    /// - Throws: `StageRefusal` when a repair came meanwhile.
    func run() async throws {
        do {
            while true {
                try await bell.wait(for: 0, until: { due.withLock { $0 != nil } })
                try await Task.sleep(for: Self.pause)
                try await remove()
            }
        } catch is CancellationError {
            // Who ends in order leaves nothing behind that would be published again.
            try await Task { try await remove() }.value
            throw CancellationError()
        }
    }

    private func remove() async throws {
        guard let next = due.withLock({ $0.take() }) else { return }
        let known = stored.withLock { $0 }
        try await store.write { transaction in
            // A repair may have come while it was published: it knows other halves.
            try RelayIdentity.checkUnchanged(known, transaction)
            try transaction.removeOutbox(through: next.through)
            try RelayIdentity.keep(next.identity, transaction)
        }
        stored.withLock { $0 = next.identity }
        KillPoint.reach(.relayRemoved)
    }
}
