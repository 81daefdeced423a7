import EventLog
import Synchronization
import Telemetry

/// The stages that run in this process, with how far they are behind: for metrics, for `/stages` and for readiness.
package final class StageBoard: Sendable {
    /// The board of the process.
    package static let shared = StageBoard()

    static let stalls = Counter(
        "fanfare_stage_stalls_total", "Times that a partition had something to do and no progress for half a minute.")
    private static let entries = GaugeTable(
        "fanfare_stage_lag_entries", "Entries of a partition that a stage has not done yet."
    ) { rows { Double($0.progress.entriesBehind) } }
    private static let seconds = GaugeTable(
        "fanfare_stage_lag_seconds", "The time that what a stage has not done yet has been waiting at most."
    ) { rows { $0.behind / .seconds(1) } }
    private static let conditions = GaugeTable(
        "fanfare_stage_condition",
        "The condition of a stage's work on a partition: 0 idle, 1 working or starting, 2 stalled, 3 failing."
    ) { rows { number(of: $0.condition) } }

    private let stages = Mutex<[StageProgress]>([])

    package init() {}

    /// Shows a stage; several of one name are shown each.
    func add(_ stage: StageProgress) {
        _ = (Self.entries, Self.seconds, Self.conditions, Self.stalls)
        stages.withLock { $0.append(stage) }
    }

    /// Shows a stage no more.
    func remove(_ stage: StageProgress) { stages.withLock { $0.removeAll { $0 === stage } } }

    /// The progress of all stages in all their partitions.
    package var statuses: [StageProgress.Status] { stages.withLock { $0 }.flatMap(\.statuses) }

    /// The reasons for which the process is not ready; none when it is.
    package var obstacles: [String] { stages.withLock { $0 }.flatMap(\.obstacles) }

    private static func rows(_ value: (StageProgress.Status) -> Double) -> [GaugeTable.Row] {
        shared.statuses.map { status in
            GaugeTable.Row(
                labels: [
                    ("stage", status.stage.rawValue), ("topic", status.partition.topic.rawValue),
                    ("partition", "\(status.partition.partition)"),
                ], value: value(status))
        }
    }

    private static func number(of condition: PartitionProgress.Condition) -> Double {
        switch condition {
        case .idle: 0
        case .starting, .working: 1
        case .stalled: 2
        case .failing: 3
        }
    }
}
