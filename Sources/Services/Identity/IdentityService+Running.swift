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

    /// Removes revocations of sessions whose tokens have expired: by the calendar, by which tokens expire, and by the
    /// service clock. Else a calendar that leaps ahead and back would make the tokens good again.
    package func removeEndedSessions() async throws {
        let time = min(now(), try await serviceTime())
        try await store.write(in: .whole) { try $0.removeEndedSessions(before: time) }
    }

    private func sweep(every pause: Duration) async {
        while true {
            do { try await Time.sleep(for: pause) } catch { return }
            do {
                try await removeEndedSessions()
            } catch {
                Log.warning("sweep.failed", ["error": "\(error)"])
            }
        }
    }
}
