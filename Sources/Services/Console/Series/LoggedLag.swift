package import Stages
import Synchronization
package import Telemetry
import Timing

/// The lag of stages that other processes run, from the log: with it the series of a record-service have what the
/// metrics of its own process lack.
package final class LoggedLag: Sendable {
    /// The time after which a reading says nothing of now.
    private static let ageMax = SeriesRecorder.interval * 3

    private struct State {
        var stages: [LoggedStages] = []
        var lines: [StageLine] = []
        var read: ContinuousClock.Instant?
    }

    private let own: @Sendable () -> [StageProgress.Status]
    private let state = Mutex(State())

    /// - Parameter own: returns the progress of this process's stages, which its metrics have.
    package init(own: @escaping @Sendable () -> [StageProgress.Status]) { self.own = own }

    /// Begins with the stages of the served environments.
    package func begin(_ stages: [LoggedStages]) { state.withLock { $0.stages = stages } }

    /// Reads the log between samples, until the task is cancelled.
    package func run() async {
        while true {
            var lines: [StageLine] = []
            for stages in state.withLock({ $0.stages }) {
                lines += await stages.read(own: own()).lines.filter { $0.own == nil }
            }
            state.withLock { [lines] state in (state.lines, state.read) = (lines, Time.now) }
            do { try await Time.sleep(for: SeriesRecorder.interval) } catch { return }
        }
    }

    /// Adds the lag to a reading of the process's metrics, as numbers of the families that have it.
    package func add(to reading: inout MetricReading) {
        let now = Time.now
        let lines = state.withLock { state in
            state.read.map { now - $0 <= Self.ageMax ? state.lines : [] } ?? []
        }
        for line in lines {
            let labels = [("stage", line.stage.rawValue)]
            reading.families["fanfare_stage_lag_entries", default: []].append(
                MetricReading.Number(labels: labels, value: Double(line.entriesBehind)))
            guard let seconds = line.secondsBehind else { continue }
            reading.families["fanfare_stage_lag_seconds", default: []].append(
                MetricReading.Number(labels: labels, value: seconds))
        }
    }
}
