package import EventLog
import Synchronization

/// Commits positions of a group a little later, many at once: a commit after each small batch would cost more than the
/// batch, and what a crash loses by it is only done again.
package final class PositionCommitter: Sendable {
    private let positions = Mutex<[TopicPartition: LogPosition]>([:])
    private let pause: Duration

    /// Commits at most every `pause`.
    package init(every pause: Duration = .milliseconds(200)) { self.pause = pause }

    /// Notes a position whose outputs are all acknowledged.
    package func note(_ position: LogPosition, of partition: TopicPartition) {
        positions.withLock { $0[partition] = position }
    }

    /// Commits what was noted, again and again, until the task is cancelled.
    package func run(_ membership: any LogMembership) async throws {
        while true {
            try await Task.sleep(for: pause)
            try await flush(nil, membership)
        }
    }

    /// Commits what was noted for some partitions, or for all, now. Partitions that were lost meanwhile are dropped.
    package func flush(_ partitions: [TopicPartition]?, _ membership: any LogMembership) async throws {
        let noted = positions.withLock { positions in
            let chosen = partitions.map { wanted in positions.filter { wanted.contains($0.key) } } ?? positions
            for partition in chosen.keys { positions[partition] = nil }
            return chosen
        }
        guard !noted.isEmpty else { return }
        do {
            KillPoint.reach(.matchCommitting)
            try await membership.commit(noted)
            KillPoint.reach(.matchCommitted)
        } catch LogError.fenced {
            // Whoever has the partitions now does the work again, under the same names.
        }
    }
}
