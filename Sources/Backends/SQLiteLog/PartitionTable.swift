import EventLog
import SQLite

/// What the writer's thread knows of topics and partitions, so that appending asks the database nothing.
///
/// Touched on the writer's thread only. What a request that fails has changed here is undone by forgetting everything:
/// the next request reads it anew.
final class PartitionTable: @unchecked Sendable {
    struct Partition {
        var id: Int64
        var end: Int64
        var messageBytesMax: Int
    }

    private var partitions: [TopicPartition: Partition] = [:]
    /// The number of the latest session of each state partition. In memory: a session ends with its process.
    private var fences: [TopicPartition: Int] = [:]

    func forgetAll() { partitions = [:] }

    func partition(_ name: TopicPartition, _ connection: SQLiteConnection) throws -> Partition {
        if let known = partitions[name] { return known }
        let found = try connection.first(
            """
            SELECT p.id, max(p.base, coalesce((SELECT max(position) + 1 FROM entries WHERE partition = p.id), 0)),
                t.message_max
            FROM partitions p JOIN topics t ON t.id = p.topic WHERE t.name = ? AND p.number = ?
            """, .text(name.topic.rawValue), .integer(Int64(name.partition))
        ) { Partition(id: $0.integer(0), end: $0.integer(1), messageBytesMax: Int($0.integer(2))) }
        guard let found else { throw LogError.unknownTopic("\(name)") }
        partitions[name] = found
        return found
    }

    func advance(_ name: TopicPartition, to end: Int64) { partitions[name]?.end = end }

    func forget(_ topic: TopicName) { partitions = partitions.filter { $0.key.topic != topic } }

    func fence(_ state: TopicPartition) -> Int {
        fences[state, default: 0] += 1
        return fences[state]!
    }

    func isLatest(_ number: Int, of state: TopicPartition) -> Bool { fences[state] == number }
}
