import CloudModel
import Synchronization
import Telemetry

/// Keeps when each record was due, and counts what comes of it.
final class LoadLedger: Sendable {
    private struct State {
        /// Records whose notification has not come yet.
        var due: [String: ContinuousClock.Instant] = [:]
        var seen: Set<String> = []
        var report = LoadReport()
    }

    private let state = Mutex(State())

    /// A record will be saved; notifications may come before its answer.
    func begin(_ name: String, due: ContinuousClock.Instant) { state.withLock { $0.due[name] = due } }

    func saved(_ name: String, due: ContinuousClock.Instant, at now: ContinuousClock.Instant) {
        state.withLock { state in
            state.report.saved += 1
            state.report.saves.record((now - due).microseconds)
        }
    }

    func failed(_ name: String) {
        state.withLock { state in
            state.report.failed += 1
            state.due[name] = nil
        }
    }

    /// A notification came.
    func received(_ name: String, at now: ContinuousClock.Instant) {
        state.withLock { state in
            if let due = state.due.removeValue(forKey: name) {
                state.seen.insert(name)
                state.report.received += 1
                state.report.notifications.record((now - due).microseconds)
            } else if state.seen.contains(name) {
                state.report.doubled += 1
            }
        }
    }

    var report: LoadReport { state.withLock { $0.report } }

    /// True if every record that was begun has come or failed.
    var isSettled: Bool { state.withLock { $0.due.isEmpty } }
}

extension Duration {
    /// Whole microseconds.
    var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
