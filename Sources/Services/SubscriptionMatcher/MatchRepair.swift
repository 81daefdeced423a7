package import CloudMessages
import CloudModel
package import EventLog
import ProtocolBuffers
import Timing

/// Changes of stage 1's committed positions that an operator asks for. No matcher may be at work: its membership would
/// hold the partitions.
package struct MatchRepair: Sendable {
    /// Entries before a position that are searched for seen ones: more than a relay publishes again.
    private static let lookBack: Int64 = 10_000

    private let log: any EventLog
    private let layout: TopicLayout

    package init(log: any EventLog, layout: TopicLayout) {
        self.log = log
        self.layout = layout
    }

    /// Lets topics be read from their starts; seen positions of others stay seen.
    package func restart(_ topics: [TopicName]) async throws {
        try await change(partitions(of: topics)) { partition, committed in
            let start = try await log.bounds(of: [partition])[partition]?.start ?? 0
            return PartitionPosition.restarted(
                from: start, committed, incarnation: try await log.incarnation(of: partition.topic))
        }
    }

    /// Lets changes be matched again from offsets on; other partitions start at their beginning. The backfills of
    /// subscriptions are delivered again in all of them: hits and marks may be lost, and stage 2 drops duplicates.
    /// - Parameter matched: the changes up to which all hits are known.
    package func rewind(to matched: [TopicPartition: MatchedChanges]) async throws {
        try await change(partitions(of: DatabaseScope.allCases.map(layout.changes))) { partition, committed in
            let start = try await log.bounds(of: [partition])[partition]?.start ?? 0
            guard let committed else { return nil }
            let offset = try await first(of: partition, from: start, to: committed.offset, beyond: matched[partition])
            guard committed.offset > offset else { return PartitionPosition.live(of: committed) }
            var position = LogPosition(
                offset: offset, incarnation: try await log.incarnation(of: partition.topic))
            try await look(through: partition, from: max(start, offset - Self.lookBack), to: offset, &position)
            return position
        }
    }

    private func partitions(of topics: [TopicName]) -> [TopicPartition] {
        topics.flatMap { topic in (0..<layout.partitions).map { TopicPartition(topic, $0) } }
    }

    /// The offset of the first change whose hits may be unknown; the end, if there is none.
    private func first(
        of partition: TopicPartition, from start: Int64, to end: Int64, beyond matched: MatchedChanges?
    ) async throws -> Int64 {
        guard let matched else { return start }
        var first = end
        try await log.readToEnd(of: partition, from: start) { entry in
            guard entry.offset < first,
                let name = entry.value.flatMap({ try? ChangeEvent(decoding: $0) })?.source?.position,
                matched.mayLack(name, at: entry.offset)
            else { return }
            first = entry.offset
        }
        return first
    }

    /// Takes note of the names of entries before an offset.
    private func look(
        through partition: TopicPartition, from first: Int64, to end: Int64, _ position: inout LogPosition
    ) async throws {
        guard first < end else { return }
        let follower = try await log.follow(partition, from: first)
        defer { follower.close() }
        var read = first
        while read < end {
            let batch = try await follower.next()
            for entry in batch.entries where entry.offset < end {
                guard let name = entry.value.flatMap({ try? ChangeEvent(decoding: $0) })?.source?.position else {
                    continue
                }
                _ = position.advance(to: name)
            }
            read = batch.nextOffset
        }
    }

    /// Commits other positions for partitions, as a member of the group: the only one.
    private func change(
        _ partitions: [TopicPartition],
        _ body: (TopicPartition, LogPosition?) async throws -> LogPosition?
    ) async throws {
        let topics = DatabaseScope.allCases.map(layout.changes)
        let membership = try await log.join(SubscriptionMatcher.group(layout), topics: topics)
        do {
            try await waitUntilOwned(Set(self.partitions(of: topics)), membership)
            let committed = try await membership.committed(partitions)
            var changed: [TopicPartition: LogPosition] = [:]
            for partition in partitions { changed[partition] = try await body(partition, committed[partition]) }
            try await membership.commit(changed)
        } catch {
            await membership.leave()
            throw error
        }
        await membership.leave()
    }

    private func waitUntilOwned(_ partitions: Set<TopicPartition>, _ membership: any LogMembership) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                var owned: Set<TopicPartition> = []
                while !owned.isSuperset(of: partitions) {
                    switch try await membership.next() {
                    case .assigned(let more): owned.formUnion(more)
                    case .revoked(let fewer):
                        owned.subtract(fewer)
                        try await membership.release(fewer)
                    case .lost(let fewer): owned.subtract(fewer)
                    }
                }
            }
            group.addTask {
                try await Time.sleep(for: .seconds(60))
                throw LogError.broken("a subscription-matcher has partitions of changes: stop it first")
            }
            try await group.next()
        }
    }
}
