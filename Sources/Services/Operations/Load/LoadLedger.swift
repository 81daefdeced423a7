import CloudModel
import Synchronization
import Telemetry

/// Keeps the due time of each record, and counts its results.
final class LoadLedger: Sendable {
    /// A record on its way to devices.
    private struct Record {
        var due: ContinuousClock.Instant
        var receivers: Int
        var isCounted: Bool
        var seen: Set<Int> = []
        var isRefused = false
    }

    private struct State {
        var began: ContinuousClock.Instant?
        var records: [String: Record] = [:]
        /// Records that have not come to all of their devices yet.
        var waiting = 0
        var report = LoadReport()
    }

    private let state = Mutex(State())

    /// A record will be saved; notifications may come before its answer.
    /// - Parameters:
    ///     - receivers: devices that are notified of it.
    ///     - isCounted: whether its latencies count.
    func begin(
        _ name: String, due: ContinuousClock.Instant, receivers: Int = 1, isCounted: Bool = true
    ) {
        state.withLock { state in
            let began = state.began ?? due
            state.began = began
            state.records[name] = Record(due: due, receivers: receivers, isCounted: isCounted)
            state.waiting += 1
            state.report.timeline.change(at: (due - began).microseconds) { $0.due += receivers }
        }
    }

    func saved(_ name: String, due: ContinuousClock.Instant, at now: ContinuousClock.Instant) {
        state.withLock { state in
            guard let record = state.records[name] else { return }
            state.report.saved += 1
            state.report.expected += record.receivers
            if record.isCounted { state.report.saves.record((now - due).microseconds) }
            let began = state.began ?? due
            state.report.timeline.change(at: (now - began).microseconds) { $0.saved += 1 }
        }
    }

    /// A save has to be made again: nobody answered, or not now.
    func retried() { state.withLock { $0.report.retried += 1 } }

    /// A record was refused, or nobody answered in the end.
    func failed(_ name: String) {
        state.withLock { state in
            state.report.failed += 1
            guard let record = state.records[name], !record.isRefused else { return }
            state.records[name]?.isRefused = true
            if record.seen.count < record.receivers { state.waiting -= 1 }
            let began = state.began ?? record.due
            // It is not waited for any more.
            state.report.timeline.change(at: (record.due - began).microseconds) { $0.due -= record.receivers }
        }
    }

    /// A notification came to a device.
    func received(_ name: String, by device: Int = 0, at now: ContinuousClock.Instant) {
        state.withLock { state in
            guard let record = state.records[name], !record.isRefused else { return }
            guard !record.seen.contains(device) else {
                state.report.doubled += 1
                return
            }
            state.records[name]?.seen.insert(device)
            if record.seen.count + 1 == record.receivers { state.waiting -= 1 }
            let latency = (now - record.due).microseconds
            state.report.received += 1
            if record.isCounted { state.report.notifications.record(latency) }
            let began = state.began ?? record.due
            state.report.timeline.change(at: (now - began).microseconds) { second in
                second.received += 1
                second.latencies.record(latency)
            }
        }
    }

    /// A subscription came and went; nil says that it was refused.
    func churned(_ duration: Duration?) {
        state.withLock { state in
            if let duration {
                state.report.churns.record(duration.microseconds)
            } else {
                state.report.churnsFailed += 1
            }
        }
    }

    /// A new device has read the whole history.
    func replayed(missing: Int, doubled: Int, in duration: Duration) {
        state.withLock { state in
            state.report.replays.record(duration.microseconds)
            state.report.replayLost += missing
            state.report.replayDoubled += doubled
        }
    }

    var report: LoadReport { state.withLock { $0.report } }

    /// True if every record that was begun has come to all of its devices, or was refused.
    var isSettled: Bool { state.withLock { $0.waiting == 0 } }

    /// The number of records that are still to come.
    var waiting: Int { state.withLock { $0.waiting } }
}

extension Duration {
    /// Whole microseconds.
    var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
