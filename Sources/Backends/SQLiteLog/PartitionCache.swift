import EventLog
import SQLite
import Waiting

/// The topics and partitions that the writer's thread knows, so that appending needs no query.
///
/// Used on the writer's thread only, so the lock never waits. Changes of a failed request are undone by clearing the
/// cache: the next request reads it again.
final class PartitionCache: Sendable {
    struct Partition {
        var id: Int64
        var end: Int64
        var messageBytesMax: Int
    }

    private struct State {
        var partitions: [TopicPartition: Partition] = [:]
        /// The number of the latest session of each state partition. In memory: a session ends with its process.
        var fences: [TopicPartition: Int] = [:]
    }

    private let state = BusyMutex(State())

    func forgetAll() { state.withLock { $0.partitions = [:] } }

    func partition(_ name: TopicPartition, _ connection: SQLiteConnection) throws -> Partition {
        if let known = state.withLock({ $0.partitions[name] }) { return known }
        let found = try connection.first(
            """
            SELECT p.id, max(p.base, \(EntryRows.endOfPartition)), t.message_max
            FROM partitions p JOIN topics t ON t.id = p.topic WHERE t.name = ? AND p.number = ?
            """, .text(name.topic.rawValue), .integer(Int64(name.partition))
        ) { Partition(id: $0.integer(0), end: $0.integer(1), messageBytesMax: Int($0.integer(2))) }
        guard let found else { throw LogError.unknownTopic("\(name)") }
        state.withLock { $0.partitions[name] = found }
        return found
    }

    func advance(_ name: TopicPartition, to end: Int64) { state.withLock { $0.partitions[name]?.end = end } }

    func forget(_ topic: TopicName) {
        state.withLock { state in state.partitions = state.partitions.filter { $0.key.topic != topic } }
    }

    func fence(_ partition: TopicPartition) -> Int {
        state.withLock { state in
            let latest = state.fences[partition, default: 0] + 1
            state.fences[partition] = latest
            return latest
        }
    }

    func isLatest(_ number: Int, of partition: TopicPartition) -> Bool {
        state.withLock { $0.fences[partition] == number }
    }
}
