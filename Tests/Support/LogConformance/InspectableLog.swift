package import EventLog
package import KafkaLog
package import MemoryLog
package import SQLiteLog

/// A log with the calls that only tests make: every backend has them, no stage needs them.
package protocol InspectableLog: EventLog {
    /// Removes entries below offsets, as retention does.
    func truncate(_ offsets: [TopicPartition: Int64]) async throws

    /// Returns the positions that a group has committed.
    func committedPositions(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: LogPosition]
}

extension KafkaLog: InspectableLog {}

extension MemoryLog: InspectableLog {
    package func committedPositions(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: LogPosition] { try await positions(of: group, partitions) }
}

extension SQLiteLog: InspectableLog {
    package func committedPositions(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: LogPosition] { try await positions(of: group, partitions) }
}
