import CloudModel
import Matching
import Synchronization
import Waiting

/// Subscriptions with a backfill, and work on them.
extension SubscriptionFollower {
    /// Subscriptions that are looked at together, when lanes are filled.
    private static let beginningMax = 256

    /// Waits for a subscription of a database with a backfill that is not begun.
    /// - Parameters:
    ///   - begun: the creations of the last ones that are, by store.
    ///   - reached: a sequence beyond which the table is waited for as well; nil does not wait for it.
    func waitForBackfill(
        in database: DatabaseScope, after begun: [UInt64: CommitSequence], orBeyond reached: CommitSequence?
    ) async throws {
        try await wait { progress in
            if let reached, progress.reached > reached { return true }
            return progress.lastBackfills[database]?.contains { $1 > begun[$0] ?? .zero } ?? false
        }
    }

    /// The sequence of subscription events that the table has reached.
    var reached: CommitSequence { progress.withLock { $0.reached } }

    /// The next subscriptions of a database with a backfill that are not begun, by store.
    func nextBackfills(
        in database: DatabaseScope, after begun: [UInt64: CommitSequence]
    ) async -> [(store: UInt64, items: [BackfillList.Item])] {
        await background.run { [table] _ in
            table.withSharedLock { $0.backfills(Self.beginningMax, in: database, after: begun) }
        }
    }

    /// The open backfills in a lane; nil if there are none: all were deleted, and are forgotten.
    func backfills(
        in lane: PastLane, of database: DatabaseScope, begun: [UInt64: CommitSequence]
    ) async -> LaneBackfills? {
        await background.run { [table] _ in
            table.withSharedLock { $0.backfills(in: lane, of: database, begun: begun) }
        }
    }
}
