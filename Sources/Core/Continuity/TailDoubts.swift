package import EventLog
import Stages
import Synchronization
import Waiting

/// Has the readers of a stage's partitions compare their history with the log's whenever it may have lost entries: a
/// partition that lost its end may have grown past a reader's offset before the reader reads on.
package final class TailDoubts: Sendable {
    private let log: any EventLog
    private let partitions: [TopicPartition]
    private let count = Mutex(0)
    private let bell = Bell<Int>()

    package init(_ log: any EventLog, _ partitions: [TopicPartition]) {
        self.log = log
        self.partitions = partitions
    }

    /// Watches the partitions until the task is cancelled.
    package func run() async throws {
        let watch = TailWatch(log, partitions)
        while true {
            _ = try await watch.loss()
            count.withLock { $0 += 1 }
            bell.ring(0)
        }
    }

    /// Compares the history of a reader after each doubt.
    /// - Parameter position: the reader's position.
    /// - Throws: `StageRefusal` if entries before the position are lost: the reader has to start again.
    package func compare(_ partition: TopicPartition, _ position: @Sendable () -> LogPosition) async throws {
        var known = count.withLock { $0 }
        while true {
            known = try await bell.wait(for: 0) { [known] in
                let now = count.withLock { $0 }
                return now == known ? nil : now
            }
            // While the log is away, the next doubt comes with its answer.
            guard let lost = try? await log.lostTail(of: partition, at: position()) else { continue }
            throw StageRefusal("\(lost)")
        }
    }
}

/// The position of a reader, for others who compare its history.
package final class ReachedPosition: Sendable {
    private let position: Mutex<LogPosition>

    package init(_ position: LogPosition) { self.position = Mutex(position) }

    /// The position.
    package var value: LogPosition {
        get { position.withLock { $0 } }
        set { position.withLock { $0 = newValue } }
    }
}
