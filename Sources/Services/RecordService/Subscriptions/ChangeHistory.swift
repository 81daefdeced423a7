import CloudModel
import EventLog
import ProtocolBuffers

/// Reads the ends of partitions of `changes.*`.
struct ChangeHistory {
    /// Entries that are read at a time at most, going backwards.
    static let stepEntriesMax: Int64 = 125
    /// Entries that are read first, when nothing is known of how large they are.
    static let stepEntriesMin: Int64 = 4

    let log: any EventLog

    /// The latest changes of partitions in their stored form: of each at most `Limits.testChangesMax`, and no more
    /// after its part of `Limits.testBytesMax`.
    func latest(_ partitions: [TopicPartition]) async throws -> [[UInt8]] {
        let bounds = try await log.bounds(of: partitions)
        return try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
            for (partition, bounds) in bounds {
                group.addTask {
                    try await latest(partition, bounds, bytesMax: Limits.testBytesMax / partitions.count)
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func latest(
        _ partition: TopicPartition, _ bounds: OffsetBounds, bytesMax: Int
    ) async throws -> [[UInt8]] {
        var changes: [[UInt8]] = []
        var bytes = 0
        var end = bounds.end
        var step = Self.stepEntriesMin
        while end > bounds.start, !Task.isCancelled, changes.count < Limits.testChangesMax, bytes < bytesMax {
            let start = max(bounds.start, end - step)
            let before = bytes
            for entry in try await entries(of: partition, start, before: end) {
                guard let value = entry.value else { continue }
                bytes += value.count
                changes.append(value)
            }
            end = start
            // Twice as many, as far as that will not be much more than there is room for.
            if (bytes - before) * 2 < bytesMax - bytes { step = min(2 * step, Self.stepEntriesMax) }
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
