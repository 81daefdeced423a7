package import CloudMessages
package import CloudModel
package import Continuity
package import Cryptography
package import EventLog
package import Matching
package import RecordStore
import Stages
import Synchronization
import Telemetry
import TextForms
import Waiting

/// The record service of one container's environment: its use cases over the store, and what it does beside requests
/// (relay, commands, sweeps; see `DESIGN.md`).
package final class RecordService: Sendable {
    /// Settings of operators.
    package struct Options: Sendable {
        /// Subscriptions of one user in one database.
        package var subscriptionsMax: Int
        /// A Boolean that lets users who said so find each other by address and record name.
        package var areUsersDiscoverable = true
        /// The language of predicate strings.
        package var predicates = PredicateLanguage.fanfare
        /// The quotas of users.
        package var quotas = UsageQuotas()
        /// The way in which a clock that leaps is met.
        package var clock = CommitClock.Options()
        /// The rows, and bytes of rows, that may wait to be published before saves are refused.
        package var outboxMax = OutboxTotals(rows: 1_000_000, bytes: 1 << 30)
        /// The time for which published rows are kept, to be published again where the log has lost them: above the time
        /// after which brokers write to their disks. Zero keeps none.
        package var outboxKept = Duration.zero
        /// The time after which the relay looks whether the log has lost the ends of partitions; nil for never.
        package var lossPause: Duration?
        /// The time that delivery may be behind before records are not saved; zero for any.
        package var deliveryLagMax = Duration.seconds(600)
        /// The time after which the relay compares the log's topics with the identity record again; nil compares at its
        /// starts only. A topic that is deleted and recreated between two comparisons takes new changes unnoticed.
        package var comparisonPause: Duration?
        /// The time for which change feeds know deletions.
        package var tombstoneRetention: Duration
        /// The time without a word after which a device is removed; nil removes none.
        package var deviceSilenceMax: Duration?
        /// Decides to which URLs of clients pushes are sent.
        package var refusalOfURL: URLRefusal = { _, url in
            do throws(HTTPURL.Defect) {
                return try HTTPURL(url).isSecure ? nil : "\(HTTPURL.Defect.scheme)"
            } catch {
                return "\(error)"
            }
        }

        /// Returns the reason why nothing is sent to a URL, for addresses of a kind; nil for one that is sent to.
        package typealias URLRefusal = @Sendable (_ kind: CourierKind, _ url: String) -> String?

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
    /// Settings of operators.
    package let options: Options
    /// The store, which this service alone writes to.
    package let store: any RecordStore
    /// The files of records; nil where none are kept.
    package let assets: AssetStorage?
    /// The clock; tests drive their own.
    package let now: @Sendable () -> Timestamp
    /// Rung after the deletion of zones, and of records that left others to be deleted.
    let droppedBell = Bell<Int>()
    /// Rung after a delivery was scheduled.
    let dueBell = Bell<Int>()
    /// The threads that test subscriptions.
    let testing = WorkPool<UserRecordName>(threads: Limits.testThreadsMax, share: 1, waitersOfKey: 2)
    /// The threads that cut long texts into words.
    let cutting = WorkPool<UserRecordName>(
        threads: Limits.textThreadsMax, share: 1, waitersOfKey: Limits.textWaitersMax)
    /// Addresses that took an upload.
    let usedUploads = Mutex(
        UsedNonces(lifetimeSeconds: Limits.assetUploadSeconds, generationMax: Limits.usedUploadsMax))
    /// The times of commits.
    let clock: CommitClock
    /// The time of removals, quotas and buckets.
    package let serviceClock: ServiceClock
    /// The rows that wait to be published.
    let backlog: OutboxBacklog
    /// The watch over how far delivery is behind.
    let deliveryWatch: DeliveryWatch
    /// The reason not to save anything: store and log do not belong together.
    let mismatch = Mutex<IdentityMismatch?>(nil)
    /// The comparison that its followers make at their starts; nil without a log.
    package let identityCheck: IdentityCheck?
    /// The progress of delivery, by user.
    package let deliveries = DeliveryProgress()
    /// The renewals of each device that delivery has lost, since the last sweep.
    let renewals = Mutex<[DeviceID: Int]>([:])
    /// The log that the service publishes to; nil beside the process that owns the store.
    let log: (any EventLog)?
    /// Seals places in change feeds.
    let syncTokens: SyncTokens
    /// Seals encrypted fields.
    package let seals: FieldSeals
    /// Seals addresses of pushes.
    let addressSeals: PushAddressSeals

    /// A service over a store.
    /// - Parameters:
    ///     - log: the log to publish to; nil for a service beside the process that owns the store, which runs nothing.
    ///     - assets: the files of records; nil keeps none.
    ///     - keys: seals sync tokens, encrypted fields and addresses of pushes. The default, a new ring, is for services that return no
    ///     tokens and save no records: its seals end with the process.
    ///     - serviceClock: the clock of removals, quotas and buckets, not begun yet.
    package init(
        layout: TopicLayout, store: any RecordStore, log: (any EventLog)? = nil, assets: AssetStorage? = nil,
        options: Options = Options(), keys: KeyRing = .generate(),
        now: @escaping @Sendable () -> Timestamp = Timestamp.wallClock, serviceClock: ServiceClock = ServiceClock()
    ) {
        self.log = log
        self.layout = layout
        identityCheck = log.map { IdentityCheck(log: $0, layout: layout) }
        self.store = store
        self.assets = assets
        self.options = options
        self.now = now
        clock = CommitClock(options.clock)
        self.serviceClock = serviceClock
        backlog = OutboxBacklog(bound: options.outboxMax)
        seals = FieldSeals(keys, scope: layout.scope)
        addressSeals = PushAddressSeals(keys, scope: layout.scope)
        deliveryWatch = DeliveryWatch(bound: options.deliveryLagMax, layout: layout)
        syncTokens = SyncTokens(keys, scope: layout.scope, store: store.incarnation)
    }

    /// The container and environment that the service is for.
    package var scope: ContainerEnvironment { layout.scope }

    /// Runs a use case in a write transaction.
    /// - Parameter body: may run more than once (`RecordStore.write`).
    /// - Throws: `TRY_AGAIN_LATER` while nothing may be saved: what `body` throws otherwise.
    func commit<Result: Sendable>(
        in part: StorePart, _ body: @escaping @Sendable (Commit) throws -> Result
    ) async throws -> Result {
        try checkHalves()
        try backlog.check()
        let wall = now()
        // The transaction runs on the store's thread, which is in no task.
        let trace = TraceContext.current
        let done: Done<Result>
        do {
            done = try await store.write(in: part) { [self] transaction in
                let reading = try clock.read(wall, after: try transaction.lastCommitTime())
                var commit = commit(transaction, at: reading.time, try serviceClock.time(wall, from: transaction))
                commit.trace = trace
                let result = try body(commit)
                if try transaction.lastTaken() != nil { try transaction.noteCommitTime(reading.time) }
                // A visitor beside the owner of the store keeps no clock.
                let noted = log == nil ? nil : try serviceClock.note(in: transaction)
                return Done(result: result, reading: reading, noted: noted, commit.tally)
            }
        } catch let refusal as CommitClock.Refusal {
            clock.note(refusal)
            throw refusal.error
        }
        // Only now, as the closure may have run more than once.
        clock.accept(done.reading)
        serviceClock.committed(done.noted)
        if let added = done.added { backlog.add(added.totals, after: added.before, at: added.last) }
        if done.leavesWork { droppedBell.ring(0) }
        KillPoint.reach(.storeCommitted)
        return done.result
    }

    /// The result of a closure's run, and the work that follows its commit.
    private struct Done<Result: Sendable>: Sendable {
        let result: Result
        let reading: CommitClock.Reading
        let noted: StoredClock?
        let added: OutboxTally.Added?
        let leavesWork: Bool

        init(result: Result, reading: CommitClock.Reading, noted: StoredClock?, _ tally: OutboxTally) {
            (self.result, self.reading, self.noted) = (result, reading, noted)
            (added, leavesWork) = (tally.added, tally.leavesWork)
        }
    }

    /// The part of the store that a request for records of a zone works on.
    static func part(of database: DatabaseScope, _ zone: GivenZone, for user: UserRecordName) -> StorePart {
        database == .public ? .records : .database(zone.owner ?? user)
    }

    /// Refuses to save while store and log fail the identity check: sequences would be given twice.
    private func checkHalves() throws(CloudError) {
        guard let refusal else { return }
        throw CloudError(.tryAgainLater, refusal, retryAfterSeconds: 30)
    }

    /// A transaction of this service's store.
    func commit(_ transaction: any StoreTransaction, at time: Timestamp, _ serviceTime: Timestamp) -> Commit {
        Commit(
            transaction: transaction, layout: layout, store: store.incarnation, time: time, serviceTime: serviceTime)
    }

    /// The time by which things are removed and refused: it counts how long the service has run.
    package func serviceTime() async throws -> Timestamp {
        let wall = now()
        if let time = serviceClock.time(wall) { return time }
        return try await store.read { [serviceClock] in try serviceClock.time(wall, from: $0) }
    }
}
