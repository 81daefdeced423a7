package import EventLog
import SQLite
import Waiting

extension SQLiteLog {
    /// Removes entries below offsets.
    package func truncate(_ offsets: [TopicPartition: Int64]) async throws {
        try await write { connection, table in
            for (partition, offset) in offsets {
                let known = try table.partition(partition, connection)
                try Self.remove(below: min(offset, known.end), known, connection)
            }
        }
        for partition in offsets.keys { bell.ring(partition) }
    }

    /// The time for which a compacted topic keeps that a key was removed, as Kafka does by default
    /// (`delete.retention.ms`).
    private static let removalsKeptMilliseconds: Int64 = 86_400_000

    /// Removes entries older than their topic's retention, and in compacted topics all but the last entry of each key;
    /// that one too, after a day, if it is a tombstone. Kafka does this by itself; `fanfare dev` calls it periodically.
    package func maintain(at now: LogTimestamp) async throws {
        let names = try await topics(withPrefix: "")
        for (name, topic) in try await describeTopics(names) {
            for number in 0..<topic.partitions {
                let partition = TopicPartition(name, number)
                switch topic.cleanup {
                case .compact:
                    let day = LogTimestamp(milliseconds: now.milliseconds - Self.removalsKeptMilliseconds)
                    try await compact(partition, removalsBefore: day)
                case .delete(let milliseconds):
                    try await expire(partition, before: LogTimestamp(milliseconds: now.milliseconds - milliseconds))
                }
            }
        }
    }

    private func expire(_ partition: TopicPartition, before limit: LogTimestamp) async throws {
        let isExpired = try await write { connection, table in
            let known = try table.partition(partition, connection)
            let rows = EntryRows(of: known.id)
            let oldest = try connection.first(
                "SELECT time FROM entries WHERE id >= ? AND id < ? ORDER BY id LIMIT 1", .integer(rows.first),
                .integer(rows.end)
            ) { $0.integer(0) }
            guard let oldest, oldest < limit.milliseconds else { return false }
            let firstKept = try connection.first(
                "SELECT id FROM entries WHERE id >= ? AND id < ? AND time >= ? ORDER BY id LIMIT 1",
                .integer(rows.first), .integer(rows.end), .integer(limit.milliseconds)
            ) { EntryRows.offset(of: $0.integer(0)) }
            try Self.remove(below: firstKept ?? known.end, known, connection)
            return true
        }
        if isExpired { bell.ring(partition) }
    }

    private func compact(_ partition: TopicPartition, removalsBefore limit: LogTimestamp) async throws {
        try await write { connection, table in
            let known = try table.partition(partition, connection)
            let range = EntryRows(of: known.id)
            let rows = try connection.query(
                """
                SELECT id, key, value IS NULL AND time < ? FROM entries WHERE id >= ? AND id < ? ORDER BY id
                """, .integer(limit.milliseconds), .integer(range.first), .integer(range.end)
            ) { (id: $0.integer(0), key: $0.blob(1), isOldRemoval: $0.integer(2) != 0) }
            var last: [[UInt8]: Int64] = [:]
            for row in rows { last[row.key] = row.id }
            // The last row says where the partition ends, so it stays.
            for (id, key, isOldRemoval) in rows.dropLast() where last[key] != id || isOldRemoval {
                try connection.run("DELETE FROM entries WHERE id = ?", .integer(id))
            }
        }
    }

    private static func remove(
        below offset: Int64, _ partition: PartitionCache.Partition, _ connection: SQLiteConnection
    ) throws {
        let rows = EntryRows(of: partition.id)
        try connection.run(
            "DELETE FROM entries WHERE id >= ? AND id < ?", .integer(rows.first), .integer(rows.row(at: offset)))
        try connection.run(
            "UPDATE partitions SET retained = max(retained, ?), base = max(base, ?) WHERE id = ?", .integer(offset),
            .integer(partition.end), .integer(partition.id))
    }
}
