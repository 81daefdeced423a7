import CloudModel
import RecordStore
import Telemetry
import Timing

extension IdentityService {
    /// Does the work beside requests until the task is cancelled: reads every second the revocations of other
    /// processes, and removes expired sessions.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watch() }
            group.addTask { await self.sweep(every: .seconds(600)) }
        }
    }

    private func watch() async {
        while true {
            do { try await Time.sleep(for: .milliseconds(IdentityCache.patience)) } catch { return }
            do {
                try await checkCache()
            } catch {
                Log.warning("identities.check.failed", ["error": "\(error)"])
            }
        }
    }

    private func sweep(every pause: Duration) async {
        while true {
            do { try await Time.sleep(for: pause) } catch { return }
            do {
                let time = now()
                try await store.write { try $0.removeEndedSessions(before: time) }
            } catch {
                Log.warning("sweep.failed", ["error": "\(error)"])
            }
        }
    }
}
