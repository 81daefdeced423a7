import CloudMessages
import CloudModel
import Continuity
import EventLog
import ProtocolBuffers
import RecordStore
import Stages
import Synchronization
import Telemetry
import Timing
import Waiting

extension RecordService {
    /// Does the work beside requests until the task is cancelled: publishes the outbox, applies delivery's commands,
    /// follows its state, and sweeps. Without a log there is none.
    package func run() async {
        guard let log else { return }
        Self.registerMetrics()
        let check = identityCheck?.start ?? .none
        await withTaskGroup(of: Void.self) { [layout, deliveries] group in
            group.addTask { await self.publish(to: log) }
            group.addTask { await self.applyCommands(of: log, check) }
            group.addTask {
                await DeliveryFollower(progress: deliveries, layout: layout, log: log, check: check).run()
            }
            group.addTask { await self.deliveryWatch.run(on: log, deliveries) }
            group.addTask { await self.followDroppedZones() }
            group.addTask { await self.followDueDeliveries() }
            group.addTask { await self.sweep(log, every: .seconds(600)) }
        }
    }

    /// Waits until store and log pass the identity check; writes the identity record if there is none.
    /// - Parameter refused: called for each refusal.
    package func waitUntilTogether(refused: @escaping @Sendable (_ reason: String) -> Void) async {
        guard let log else { return }
        await persistently(failed: { error, pause in
            if let error = error as? IdentityMismatch {
                self.mismatch.withLock { $0 = error }
                IdentityCheck.countRefusal()
            }
            refused("\(error)")
            Log.warning("identity.refused", ["scope": "\(layout.scope)", "error": "\(error)", "pause": "\(pause)"])
        }) {
            try await RelayIdentity(store: store, layout: layout, log: log, now: now).confirm()
            mismatch.withLock { $0 = nil }
        }
    }

    /// The reason why nothing is saved or published, or a follower refuses to start; nil if store and log pass the
    /// identity check.
    package var refusal: String? { mismatch.withLock { $0.map { "\($0)" } } ?? identityCheck?.reason }

    private func publish(to log: any EventLog) async {
        try? await backlog.look {
            ((), try await store.read { (try $0.outboxTotals(after: .zero), try $0.settledSequence()) })
        }
        let relay = OutboxRelay(
            store: store, layout: layout, log: log, now: now, comparisonPause: options.comparisonPause,
            compared: { mismatch in self.mismatch.withLock { $0 = mismatch } },
            keeping: OutboxKeeping(time: options.outboxKept, beside: options.outboxMax),
            lossPause: options.lossPause, backlog: backlog)
        await relay.run()
    }

    /// Applies delivery's commands until the task is cancelled.
    func applyCommands(of log: any EventLog, _ check: StartCheck = .none) async {
        let consumer = CommandConsumer(
            store: store, layout: layout, log: log,
            delete: { key, created, remember in
                try await self.deleteFiredSubscription(key, created: created, remember: remember)
            },
            removeAddress: { removal, remember in
                try await self.removeDeadAddress(removal, remember: remember)
            },
            serviceTime: { [serviceClock, now] in try serviceClock.time(now(), from: $0) }, now: now,
            scheduled: { [dueBell] in dueBell.ring(0) }, check: check)
        await consumer.run()
    }

    private func sweep(_ log: any EventLog, every pause: Duration) async {
        var feeds = FeedSweep(store: store, progress: deliveries, layout: layout, log: log)
        while true {
            // The first sweep waits too: the followers need their time to catch up.
            do { try await Time.sleep(for: pause) } catch { return }
            await sweep("feeds") { try await feeds.run() }
            await sweep("subscriptions") {
                guard let retention = try await changeRetention(log) else { return }
                try await removeSupersededSubscriptions(retention: retention) {
                    try await self.oldestChange(in: log)
                }
            }
            await sweep("assets") { try await sweepAssets() }
            await sweep("tombstones") { try await removeOldTombstones() }
            await sweep("couriers") { try await removeEndedCouriers() }
            await sweep("lost devices") { try await renewLostDevices() }
            // The last, as it asks the log for more than the others do.
            await sweep("silent devices") { try await removeSilentDevices() }
        }
    }

    /// Sweeps one part; the others go on where it fails.
    private func sweep(_ part: String, _ body: () async throws -> Void) async {
        do { try await body() } catch { Log.warning("sweep.failed", ["part": part, "error": "\(error)"]) }
    }

    /// The time of the oldest change in the log; nil if it has none. The time is that of the change and not of a clock:
    /// a clock that leaps ahead must not remove versions from changes that are still to be read.
    func oldestChange(in log: any EventLog) async throws -> Timestamp? {
        var oldest: Timestamp?
        let partitions = DatabaseScope.allCases.flatMap { database in
            (0..<layout.partitions).map { TopicPartition(layout.changes(database), $0) }
        }
        for (partition, bounds) in try await log.bounds(of: partitions) where bounds.start < bounds.end {
            let follower = try await log.follow(partition, from: bounds.start)
            defer { follower.close() }
            var first: LogEntry?
            while first == nil { first = try await follower.next().entries.first }
            guard let value = first?.value, let event = try? ChangeEvent(decoding: value), event.committed > 0 else {
                continue
            }
            let time = Timestamp(milliseconds: event.committed)
            oldest = min(oldest ?? time, time)
        }
        return oldest
    }

    /// The retention of changes as the topics have it, which may differ from the settings. Nil if some are kept
    /// forever.
    private func changeRetention(_ log: any EventLog) async throws -> Int64? {
        var longest = layout.retention.changes
        for topic in try await log.describeTopics(DatabaseScope.allCases.map(layout.changes)).values {
            guard case .delete(let milliseconds) = topic.cleanup, milliseconds >= 0 else { return nil }
            longest = max(longest, milliseconds)
        }
        return longest
    }
}
