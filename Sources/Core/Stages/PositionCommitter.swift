package import EventLog
import Synchronization
import Timing

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

    /// Commits the noted positions repeatedly, until the task is cancelled. While the log cannot be reached, they wait.
    package func run(_ membership: any LogMembership) async throws {
        while true {
            try await Time.sleep(for: pause)
            do {
                try await flush(nil, membership)
            } catch LogError.unavailable {
                continue
            }
        }
    }

    /// Commits the noted positions of some partitions, or of all, now. Those of lost partitions are dropped; after
    /// another failure they are kept for the next time.
    package func flush(_ partitions: [TopicPartition]?, _ membership: any LogMembership) async throws {
        let noted = positions.withLock { positions in
            let chosen = partitions.map { wanted in positions.filter { wanted.contains($0.key) } } ?? positions
            for partition in chosen.keys { positions[partition] = nil }
            return chosen
        }
        guard !noted.isEmpty else { return }
        if try await commit(noted, membership) || noted.count == 1 { return }
        // A lost partition makes the log refuse all of them, and the others are still this member's. The new owner of
        // the lost one repeats the work, under the same names.
        var left = noted
        while let (partition, position) = left.popFirst() {
            do {
                _ = try await commit([partition: position], membership)
            } catch {
                keep(left)
                throw error
            }
        }
    }

    /// Returns false when one of the partitions was lost: then nothing was committed.
    private func commit(
        _ noted: [TopicPartition: LogPosition], _ membership: any LogMembership
    ) async throws -> Bool {
        do {
            KillPoint.reach(.matchCommitting)
            try await membership.commit(noted)
            KillPoint.reach(.matchCommitted)
            return true
        } catch LogError.fenced {
            return false
        } catch {
            keep(noted)
            throw error
        }
    }

    /// Puts back what could not be committed, except where a later position was noted meanwhile.
    private func keep(_ noted: [TopicPartition: LogPosition]) {
        positions.withLock { $0.merge(noted) { newer, _ in newer } }
    }
}
