import CloudModel
import EventLog
import Messages

/// Reads the ends of partitions of `changes.*`.
struct ChangeHistory {
    /// Entries that are read at a time, going backwards.
    static let stepEntries: Int64 = 125

    let log: any EventLog

    /// The latest changes of partitions, of each at most `Limits.testChangesMax`, and no more than
    /// `Limits.testPartitionBytesMax` ask for. What cannot be read is left out, as the matcher leaves it out.
    func latest(_ partitions: [TopicPartition]) async throws -> [Change] {
        let bounds = try await log.bounds(of: partitions)
        return try await withThrowingTaskGroup(of: [Change].self) { group in
            for (partition, bounds) in bounds {
                group.addTask { try await latest(partition, bounds) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func latest(_ partition: TopicPartition, _ bounds: OffsetBounds) async throws -> [Change] {
        var changes: [Change] = []
        var bytes = 0
        var end = bounds.end
        while end > bounds.start, changes.count < Limits.testChangesMax, bytes < Limits.testPartitionBytesMax {
            let start = max(bounds.start, end - Self.stepEntries)
            for entry in try await entries(of: partition, start, before: end) {
                guard let value = entry.value else { continue }
                bytes += value.count
                if let change = try? ChangeEvent(decoding: value).change() { changes.append(change) }
            }
            end = start
        }
        return changes
    }

    private func entries(
        of partition: TopicPartition, _ start: Int64, before end: Int64
    ) async throws -> [LogEntry] {
        let follower = try await log.follow(partition, from: start)
        defer { follower.close() }
        var entries: [LogEntry] = []
        while true {
            let batch = try await follower.next()
            entries += batch.entries.filter { $0.offset < end }
            if batch.nextOffset >= end { return entries }
        }
    }
}
