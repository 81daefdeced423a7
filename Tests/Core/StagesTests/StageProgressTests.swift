import EventLog
import MemoryLog
import Synchronization
import Testing

@testable import Stages

/// The state of a stage for operators: its lag, and whether it works, waits, stalls or fails.
@Suite struct StageProgressTests {
    private let partition = TopicPartition(TopicName("deliveries"), 3)

    /// A clock that a test moves.
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func move(by duration: Duration) { time.withLock { $0 += duration } }
    }

    private func stage(_ clock: Clock) -> StageProgress {
        StageProgress(.deliver, scope: "test", board: StageBoard(), now: { clock.now })
    }

    private func condition(_ stage: StageProgress) -> PartitionProgress.Condition? { stage.statuses.first?.condition }

    private func learn(_ stage: StageProgress, end: Int64) {
        stage.learn([partition: OffsetBounds(start: 0, end: end)])
    }

    @Test("a partition with nothing to do is idle however long, one with something to do and no progress stalls")
    func conditions() {
        let clock = Clock()
        let stage = stage(clock)
        stage.started(partition)
        #expect(condition(stage) == .starting)
        stage.advanced(partition, to: 5, time: LogTimestamp(milliseconds: 1))
        learn(stage, end: 5)
        clock.move(by: .seconds(3600))
        #expect(condition(stage) == .idle && stage.statuses[0].behind == .zero)
        learn(stage, end: 9)
        #expect(condition(stage) == .working && stage.statuses[0].progress.entriesBehind == 4)
        #expect(stage.statuses[0].behind > .seconds(1))
        clock.move(by: PartitionProgress.stallAfter + .seconds(1))
        #expect(condition(stage) == .stalled)
        // The same offset again is no progress, one more entry is.
        stage.advanced(partition, to: 5, time: nil)
        #expect(condition(stage) == .stalled)
        stage.advanced(partition, to: 6, time: nil)
        #expect(condition(stage) == .working)
        stage.advanced(partition, to: 9, time: nil)
        #expect(condition(stage) == .idle)
    }

    @Test("a failure shows until something is read again; a partition that went is shown no more")
    func failures() {
        let clock = Clock()
        let stage = stage(clock)
        stage.failed(partition, LogError.unavailable("away"))
        stage.failed(partition, LogError.unavailable("away"))
        #expect(condition(stage) == .failing && stage.statuses[0].progress.failure?.count == 2)
        stage.advanced(partition, to: 0, time: nil)
        #expect(condition(stage) == .idle)
        stage.stopped([partition])
        #expect(stage.statuses.isEmpty)
    }

    @Test("only what trying again does not mend keeps a process from being ready")
    func readiness() {
        let stage = stage(Clock())
        #expect(stage.obstacles == ["deliver of test waits for its start"])
        stage.waits(for: nil)
        #expect(stage.obstacles.isEmpty)
        for _ in 0..<9 { stage.failed(partition, LogError.unavailable("away")) }
        #expect(stage.obstacles.isEmpty)
        stage.advanced(partition, to: 0, time: nil)
        let refusal = StageRefusal("the halves differ")
        for _ in 0..<2 { stage.failed(partition, refusal) }
        #expect(stage.obstacles.isEmpty)
        stage.failed(partition, refusal)
        #expect(stage.obstacles == ["deliver of deliveries/3 fails: the halves differ"])
        stage.advanced(partition, to: 1, time: nil)
        #expect(stage.obstacles.isEmpty)
    }

    @Test("a board shows the stages that run, and no others")
    func board() async {
        let board = StageBoard()
        let stage = StageProgress(.match, scope: "test", board: board)
        let log = MemoryLog()
        await stage.watched(on: log) {
            stage.started(partition)
            #expect(board.statuses.map(\.partition) == [partition])
        }
        #expect(board.statuses.isEmpty)
    }
}
