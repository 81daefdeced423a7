import CloudMessages
import CloudModel
import EventLog
import Telemetry

extension RecordService {
    /// Does what has to be done beside requests until the task is cancelled: publishes the outbox, applies delivery's
    /// commands, follows its state, and sweeps every so often. Without a log there is nothing to do.
    package func run() async {
        guard let log else { return }
        await withTaskGroup(of: Void.self) { [store, layout, deliveries] group in
            group.addTask { await OutboxRelay(store: store, layout: layout, log: log).run() }
            group.addTask { await self.applyCommands(of: log) }
            group.addTask { await DeliveryFollower(progress: deliveries, layout: layout, log: log).run() }
            group.addTask { await self.followDroppedZones() }
            group.addTask { await self.sweep(log, every: .seconds(600)) }
        }
    }

    /// Applies delivery's commands until the task is cancelled.
    func applyCommands(of log: any EventLog) async {
        let consumer = CommandConsumer(store: store, layout: layout, log: log) { key, created, remember in
            try await self.deleteFiredSubscription(key, created: created, remember: remember)
        }
        await consumer.run()
    }

    private func sweep(_ log: any EventLog, every pause: Duration) async {
        var feeds = FeedSweep(store: store, progress: deliveries, layout: layout, log: log)
        while true {
            // The first sweep waits too: the followers need their time to catch up.
            do { try await Task.sleep(for: pause) } catch { return }
            do {
                try await feeds.run()
                if let retention = try await changeRetention(log) {
                    try await removeSupersededSubscriptions(retention: retention)
                }
                try await sweepAssets()
                try await removeOldTombstones()
                try await removeEndedCouriers()
                try await removeSilentDevices()
            } catch {
                Log.warning("sweep.failed", ["error": "\(error)"])
            }
        }
    }

    /// The retention of changes, as the topics are made and not as the settings say now: they may have been changed
    /// since. Nil when some are kept for ever.
    private func changeRetention(_ log: any EventLog) async throws -> Int64? {
        var longest = layout.retention.changes
        for topic in try await log.describeTopics(DatabaseScope.allCases.map(layout.changes)).values {
            guard case .delete(let milliseconds) = topic.cleanup, milliseconds >= 0 else { return nil }
            longest = max(longest, milliseconds)
        }
        return longest
    }
}
