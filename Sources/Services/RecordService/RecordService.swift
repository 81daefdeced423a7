package import CloudModel
package import Cryptography
package import EventLog
package import Matching
package import RecordStore
import Synchronization
import Waiting

/// The record service of one container's environment: its use cases over the store, and what it does beside requests
/// (relay, commands, sweeps; see `DESIGN.md`).
package final class RecordService: Sendable {
    /// What operators can choose.
    package struct Options: Sendable {
        /// Subscriptions of one user in one database.
        package var subscriptionsMax: Int
        /// Whether users who said so find each other by address and record name.
        package var areUsersDiscoverable = true
        /// Where files of records are kept; nil keeps none.
        package var assets: AssetStorage?
        /// What predicate strings may use.
        package var predicates = PredicateLanguage.fanfare
        /// What users may have.
        package var quotas = UsageQuotas()
        /// How long change feeds know what was deleted.
        package var tombstoneRetention: Duration

        package init(
            subscriptionsMax: Int = Limits.subscriptionsDefaultMax,
            tombstoneRetention: Duration = .seconds(90 * 86_400)
        ) {
            self.subscriptionsMax = subscriptionsMax
            self.tombstoneRetention = tombstoneRetention
        }
    }

    /// The names and settings of its topics.
    package let layout: TopicLayout
    /// What operators chose.
    package let options: Options
    /// The store, which this service alone writes to.
    package let store: any RecordStore
    /// Tells the time; tests drive their own.
    package let now: @Sendable () -> Timestamp
    /// Rung after every commit that left something to publish.
    let outboxBell = Bell<Int>()
    /// Rung after the deletion of zones.
    let droppedBell = Bell<Int>()
    /// Where subscriptions are tested.
    let testing = WorkPool<UserRecordName>(threads: Limits.testThreadsMax, share: 1, waitersOfKey: 2)
    /// Addresses that took an upload.
    let usedUploads = Mutex(UsedUploads())
    /// What delivery has applied, by user.
    package let deliveries = DeliveryProgress()
    /// The log that the service publishes to; nil until it runs.
    let runningLog = Mutex<(any EventLog)?>(nil)
    /// Seals places in change feeds.
    let syncTokens: SyncTokens
    /// Seals the addresses of web couriers.
    let courierTokens: CourierTokens

    /// A service over a store.
    /// - Parameter keys: what sync tokens are sealed with. A ring of its own, the default, is for who hands out none:
    ///   its tokens end with the process.
    package init(
        layout: TopicLayout, store: any RecordStore, options: Options = Options(), keys: KeyRing = .generate(),
        now: @escaping @Sendable () -> Timestamp = wallClock
    ) {
        self.layout = layout
        self.store = store
        self.options = options
        self.now = now
        syncTokens = SyncTokens(keys, scope: layout.scope, store: store.incarnation)
        courierTokens = CourierTokens(keys, scope: layout.scope)
    }

    /// The container and environment that the service is for.
    package var scope: ContainerEnvironment { layout.scope }

    /// Wakes the relay: there may be something to publish.
    @Sendable package func wakeRelay() { outboxBell.ring(0) }

    /// Runs a use case in a write transaction and wakes the relay after its commit.
    func commit<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        let result = try await store.write(body)
        outboxBell.ring(0)
        return result
    }
}
