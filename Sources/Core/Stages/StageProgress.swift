package import EventLog
import Synchronization
import Telemetry
import Timing

/// The progress of one stage in a container's environment, partition by partition. The stage updates it; `StageBoard`
/// shows it to operators.
package final class StageProgress: Sendable {
    /// A reader of partitions whose progress is shown.
    package enum Name: String, Sendable, CaseIterable {
        /// Stage 1, on `changes.*`.
        case match
        /// Stage 2, on `deliveries`.
        case deliver
        /// Stage 3, on `journals`.
        case feeds
        /// The record service's follower of `delivery-state`.
        case state
        /// The record service's consumer of `commands`.
        case commands
        /// Push senders, on `pushes`.
        case push
    }

    /// The progress in one partition, with its condition now.
    package struct Status: Sendable {
        /// The stage.
        package var stage: Name
        /// The container and environment.
        package var scope: String
        /// The partition.
        package var partition: TopicPartition
        /// The offsets, times and failures that are known.
        package var progress: PartitionProgress
        /// The condition of the work, as it is now.
        package var condition: PartitionProgress.Condition
        /// The longest that a waiting entry may have waited.
        package var behind: Duration
    }

    private struct State {
        var partitions: [TopicPartition: PartitionProgress] = [:]
        /// The event that it waits for before it is of use; nil once it is.
        var waitsFor: String? = "its start"
        /// The failure of the whole stage.
        var failure: PartitionProgress.Failure?
        var stalled: Set<TopicPartition> = []
    }

    private static let pause = Duration.seconds(5)
    /// Failures in a row after which one that lasts counts against readiness.
    private static let failuresMax = 3

    /// The stage.
    package let name: Name
    /// The container and environment.
    package let scope: String
    private let board: StageBoard
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameter now: the time; tests have their own.
    package init(
        _ name: Name, scope: String, board: StageBoard = .shared,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { Time.now }
    ) {
        self.name = name
        self.scope = scope
        self.board = board
        self.now = now
    }

    /// Runs a stage that updates its progress here, and reads the ends of its partitions beside it.
    package func watched(on log: any EventLog, _ body: @Sendable () async -> Void) async {
        board.add(self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.followEnds(log) }
            await body()
            group.cancelAll()
        }
        board.remove(self)
    }

    /// Notes what the stage waits for before it is of use; nil once it is of use, which it then stays.
    package func waits(for what: String?) {
        state.withLock {
            $0.waitsFor = what
            if what == nil { $0.failure = nil }
        }
    }

    /// Notes that the work on a partition has begun.
    package func started(_ partition: TopicPartition) {
        state.withLock { state in
            if state.partitions[partition] == nil { state.partitions[partition] = PartitionProgress(at: now()) }
        }
    }

    /// Notes that everything before an offset of a partition is done.
    /// - Parameter time: that of the last entry; nil where there was none.
    package func advanced(_ partition: TopicPartition, to offset: Int64, time: LogTimestamp?) {
        state.withLock { state in
            state.partitions[partition, default: PartitionProgress(at: now())].advanced(
                to: offset, time: time, at: now())
        }
    }

    /// Notes a failure: of the work on a partition, or of the whole stage.
    package func failed(_ partition: TopicPartition?, _ error: any Error) {
        state.withLock { state in
            if let partition {
                state.partitions[partition, default: PartitionProgress(at: now())].failed(error)
            } else {
                var whole = PartitionProgress(at: now())
                whole.failed(error)
                state.failure = whole.failure.map { failure in
                    PartitionProgress.Failure(
                        reason: failure.reason, isLasting: failure.isLasting, count: (state.failure?.count ?? 0) + 1)
                }
            }
        }
    }

    /// Notes that a partition is not worked on, and will not be.
    package func refused(_ partition: TopicPartition, _ refusal: StageRefusal) {
        for _ in 0..<Self.failuresMax { failed(partition, refusal) }
    }

    /// Notes that a partition is another's.
    package func stopped(_ partitions: [TopicPartition]) {
        state.withLock { state in for partition in partitions { state.partitions[partition] = nil } }
    }

    /// The progress in each partition.
    package var statuses: [Status] {
        let instant = now()
        let wall = LogTimestamp(milliseconds: WallClock.milliseconds)
        return state.withLock { $0.partitions }.sorted { $0.key < $1.key }.map { partition, progress in
            Status(
                stage: name, scope: scope, partition: partition, progress: progress,
                condition: progress.condition(at: instant), behind: progress.behind(at: instant, wall: wall))
        }
    }

    /// The reasons for which the process is not ready, as far as this stage is concerned. An outage of the log is none.
    package var obstacles: [String] {
        state.withLock { state in
            var found: [String] = []
            if let what = state.waitsFor { found.append("\(name.rawValue) of \(scope) waits for \(what)") }
            if let failure = state.failure, failure.isLasting, failure.count >= Self.failuresMax {
                found.append("\(name.rawValue) of \(scope) fails: \(failure.reason)")
            }
            for (partition, progress) in state.partitions.sorted(by: { $0.key < $1.key }) {
                guard let failure = progress.failure, failure.isLasting, failure.count >= Self.failuresMax else {
                    continue
                }
                found.append("\(name.rawValue) of \(partition) fails: \(failure.reason)")
            }
            return found
        }
    }

    private func followEnds(_ log: any EventLog) async {
        while true {
            do { try await Time.sleep(for: Self.pause) } catch { return }
            let partitions = state.withLock { Array($0.partitions.keys) }
            guard !partitions.isEmpty, let bounds = try? await log.bounds(of: partitions) else { continue }
            learn(bounds)
        }
    }

    /// Takes note of partitions' ends, and says which have stalled since.
    func learn(_ bounds: [TopicPartition: OffsetBounds]) {
        let news = state.withLock { state -> [(TopicPartition, PartitionProgress)] in
            for (partition, bounds) in bounds { state.partitions[partition]?.learned(end: bounds.end, at: now()) }
            let stalled = state.partitions.filter { $0.value.condition(at: now()) == .stalled }
            defer { state.stalled = Set(stalled.keys) }
            return stalled.filter { !state.stalled.contains($0.key) }.map { ($0.key, $0.value) }
        }
        for (partition, progress) in news {
            StageBoard.stalls.increment()
            Log.warning(
                "stage.stalled",
                [
                    "stage": name.rawValue, "partition": "\(partition)", "next": progress.next ?? -1,
                    "behind": progress.entriesBehind,
                ])
        }
    }
}
