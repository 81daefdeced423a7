package import CloudModel
package import EventLog
import SQLite

extension SQLiteLog {
    package func truncate(_ offsets: [TopicPartition: Int64]) async throws {
        try await write { connection, table in
            for (partition, offset) in offsets {
                let known = try table.partition(partition, connection)
                try Self.remove(below: min(offset, known.end), known, connection)
            }
        }
        for partition in offsets.keys { bell.ring(partition) }
    }

    /// Removes what is older than its topic's retention, and in compacted topics all but the last entry of each key.
    /// Kafka does this by itself; `fanfare dev` calls it every so often.
    package func maintain(at now: Timestamp) async throws {
        let names = try await topics(withPrefix: "")
        for (name, topic) in try await describeTopics(names) {
            for number in 0..<topic.partitions {
                let partition = TopicPartition(name, number)
                switch topic.cleanup {
                case .compact: try await compact(partition)
                case .delete(let milliseconds):
                    try await expire(partition, before: Timestamp(milliseconds: now.milliseconds - milliseconds))
                }
            }
        }
    }

    private func expire(_ partition: TopicPartition, before limit: Timestamp) async throws {
        let isExpired = try await write { connection, table in
            let known = try table.partition(partition, connection)
            let oldest = try connection.first(
                "SELECT time FROM entries WHERE partition = ? ORDER BY position LIMIT 1", .integer(known.id)
            ) { $0.integer(0) }
            guard let oldest, oldest < limit.milliseconds else { return false }
            let firstKept = try connection.first(
                "SELECT min(position) FROM entries WHERE partition = ? AND time >= ?", .integer(known.id),
                .integer(limit.milliseconds)
            ) { $0.optionalInteger(0) }
            try Self.remove(below: (firstKept ?? nil) ?? known.end, known, connection)
            return true
        }
        if isExpired { bell.ring(partition) }
    }

    private func compact(_ partition: TopicPartition) async throws {
        try await write { connection, table in
            let known = try table.partition(partition, connection)
            let rows = try connection.query(
                "SELECT position, key FROM entries WHERE partition = ? ORDER BY position", .integer(known.id)
            ) { ($0.integer(0), $0.blob(1)) }
            var last: [[UInt8]: Int64] = [:]
            for (position, key) in rows { last[key] = position }
            guard last.count < rows.count else { return }
            for (position, key) in rows where last[key] != position {
                try connection.run(
                    "DELETE FROM entries WHERE partition = ? AND position = ?", .integer(known.id), .integer(position))
            }
        }
    }

    private static func remove(
        below offset: Int64, _ partition: PartitionTable.Partition, _ connection: SQLiteConnection
    ) throws {
        try connection.run(
            "DELETE FROM entries WHERE partition = ? AND position < ?", .integer(partition.id), .integer(offset))
        try connection.run(
            "UPDATE partitions SET retained = max(retained, ?), base = max(base, ?) WHERE id = ?", .integer(offset),
            .integer(partition.end), .integer(partition.id))
    }
}
