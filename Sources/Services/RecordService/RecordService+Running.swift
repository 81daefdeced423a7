import CloudModel
package import EventLog
import Telemetry

extension RecordService {
    /// Does what has to be done beside requests until the task is cancelled: publishes the outbox, applies delivery's
    /// commands, follows its state, and sweeps every so often.
    package func run(on log: any EventLog) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await OutboxRelay(service: self, log: log).run() }
            group.addTask { await CommandConsumer(service: self, log: log).run() }
            group.addTask { await DeliveryFollower(service: self, log: log).run() }
            group.addTask { await self.sweep(log, every: .seconds(600)) }
        }
    }

    private func sweep(_ log: any EventLog, every pause: Duration) async {
        while true {
            // The first sweep waits too: the followers need their time to catch up.
            do { try await Task.sleep(for: pause) } catch { return }
            do {
                try await FeedSweep(service: self, log: log).run()
                try await removeSupersededSubscriptions()
                try await sweepAssets()
            } catch {
                Log.warning("sweep.failed", ["error": "\(error)"])
            }
        }
    }
}
