import CloudModel
import Matching
import Synchronization
import Waiting

/// Subscriptions with a backfill, and whether they fire on a change of it.
extension SubscriptionFollower {
    /// Waits for the next subscription of a database with a backfill.
    /// - Parameter done: the creations of the last finished ones, by store.
    func nextBackfill(
        in database: DatabaseScope, after done: [UInt64: CommitSequence]
    ) async throws -> SubscriptionVersion {
        var done = done
        while true {
            let after = done
            try await wait { progress in
                progress.lastBackfills[database]?.contains { $1 > after[$0] ?? .zero } ?? false
            }
            let last = progress.withLock { $0.lastBackfills[database] ?? [:] }
            let next = await threads.run { [table] _ in
                table.withSharedLock { $0.backfill(in: database, after: after) }
            }
            if let next { return next }
            // It was removed meanwhile.
            done.merge(last) { max($0, $1) }
        }
    }

    /// Returns true if a subscription of this creation was not deleted.
    func isAlive(_ key: SubscriptionKey, created: CommitSequence) async -> Bool {
        await threads.run { [table] _ in table.withSharedLock { $0.isAlive(key, created: created) } }
    }

    /// Works on a few changes on a matching thread, so that backfills take turns with new changes.
    func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await threads.run { _ in body() }
    }
}
