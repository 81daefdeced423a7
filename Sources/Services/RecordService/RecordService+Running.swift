import CloudModel
package import EventLog
import Synchronization
import Telemetry

extension RecordService {
    /// Does what has to be done beside requests until the task is cancelled: publishes the outbox, applies delivery's
    /// commands, follows its state, and sweeps every so often.
    package func run(on log: any EventLog) async {
        runningLog.withLock { $0 = log }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await OutboxRelay(service: self, log: log).run() }
            group.addTask { await CommandConsumer(service: self, log: log).run() }
            group.addTask { await DeliveryFollower(service: self, log: log).run() }
            group.addTask { await self.followDroppedZones() }
            group.addTask { await self.sweep(log, every: .seconds(600)) }
        }
    }

    private func sweep(_ log: any EventLog, every pause: Duration) async {
        while true {
            // The first sweep waits too: the followers need their time to catch up.
            do { try await Task.sleep(for: pause) } catch { return }
            do {
                try await FeedSweep(service: self, log: log).run()
                if let retention = try await changeRetention(log) {
                    try await removeSupersededSubscriptions(retention: retention)
                }
                try await sweepAssets()
                try await removeOldTombstones()
                try await removeEndedCouriers()
            } catch {
                Log.warning("sweep.failed", ["error": "\(error)"])
            }
        }
    }

    /// How long changes are kept, as the topics are made and not as the settings say now: they may have been changed
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
