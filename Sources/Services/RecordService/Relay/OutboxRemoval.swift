import CloudModel
import RecordStore
import Stages
import Synchronization
import Timing
import Waiting

/// Removes published rows of the outbox beside the publishing of the next ones, so that no change waits for it. After a
/// crash the rows are published again, under the same names.
final class OutboxRemoval: Sendable {
    /// The time that published rows stay, so that one write removes those of many saves: each write is synced by itself, and
    /// takes turns with the saves.
    private static let pause = Duration.milliseconds(50)

    private struct Due {
        var through: CommitSequence
        var last: LastSubscription
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
    /// - Parameters:
    ///   - last: the last subscription event up to there.
    ///   - identity: the identity record that says so.
    func note(_ through: CommitSequence, _ last: LastSubscription, _ identity: ScopeIdentity) {
        due.withLock { $0 = Due(through: through, last: last, identity: identity) }
        bell.ring(0)
    }

    /// Removes the noted rows until the task is cancelled.
    /// - Throws: `StageRefusal` if a repair came meanwhile.
    func run() async throws {
        do {
            while true {
                try await bell.wait(for: 0, until: { due.withLock { $0 != nil } })
                try await Time.sleep(for: Self.pause)
                try await remove()
            }
        } catch is CancellationError {
            // An orderly end leaves no row that would be published again.
            try await Task { try await remove() }.value
            throw CancellationError()
        }
    }

    private func remove() async throws {
        guard let next = due.withLock({ $0.take() }) else { return }
        let known = stored.withLock { $0 }
        try await store.write(in: .whole) { transaction in
            // A repair may have come while it was published: it knows other halves.
            try RelayIdentity.checkUnchanged(known, transaction)
            try transaction.removeOutbox(through: next.through, lastSubscription: next.last.sequence)
            try RelayIdentity.keep(next.identity, transaction)
        }
        stored.withLock { $0 = next.identity }
        KillPoint.reach(.relayRemoved)
    }
}
