import EventLog
import Synchronization
import TestSupport

/// A log whose first look is answered by a broker that was paused: it lacks the last entries, and reports an old end.
final class PausedBrokerLog: ForwardingLog {
    let base: any EventLog
    let staleBoundsMax = Duration.seconds(10)
    private let old: any EventLog
    private let looks = Atomic(0)

    /// - Parameter old: the log as the paused broker has it.
    init(_ base: any EventLog, old: any EventLog) {
        self.base = base
        self.old = old
    }

    func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        try await old.bounds(of: partitions)
    }

    func look(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        let isFirst = looks.add(1, ordering: .relaxed).oldValue == 0
        return try await (isFirst ? old : base).look(partition, from: offset)
    }
}
