package import EventLog
import ProtocolBuffers
import SQLite
import Waiting

extension SQLiteLog {
    package func positions(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: LogPosition] {
        try await read { connection in
            var result: [TopicPartition: LogPosition] = [:]
            for partition in partitions { result[partition] = try Self.position(of: group, partition, connection) }
            return result
        }
    }

    package func committedOffsets(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: Int64]? { try await positions(of: group, partitions).mapValues(\.offset) }

    package func store(_ positions: [TopicPartition: LogPosition], of group: GroupName) async throws {
        try await write { connection, _ in
            for (partition, position) in positions { try Self.store(position, partition, group, connection) }
        }
    }

    private static func position(
        of group: GroupName, _ partition: TopicPartition, _ connection: SQLiteConnection
    ) throws -> LogPosition? {
        let bytes = try connection.first(
            "SELECT position FROM positions WHERE reader = ? AND topic = ? AND partition = ?", .text(group.rawValue),
            .text(partition.topic.rawValue), .integer(Int64(partition.partition))
        ) { $0.blob(0) }
        return try bytes.map { try PositionMessage(decoding: $0).position }
    }

    private static func store(
        _ position: LogPosition, _ partition: TopicPartition, _ group: GroupName, _ connection: SQLiteConnection
    ) throws {
        try connection.run(
            """
            INSERT INTO positions (reader, topic, partition, position) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET position = excluded.position
            """,
            .text(group.rawValue), .text(partition.topic.rawValue), .integer(Int64(partition.partition)),
            .blob(PositionMessage(position).encoded()))
    }

    package func takeOver(_ claim: StateClaim) async throws -> any LogStateSession {
        let (number, state, position) = try await write { connection, table in
            let number = table.fence(claim.state)
            let partition = try table.partition(claim.state, connection)
            var state: [[UInt8]: [UInt8]] = [:]
            let range = EntryRows(of: partition.id)
            let rows = try connection.query(
                "SELECT key, value FROM entries WHERE id >= ? AND id < ? ORDER BY id", .integer(range.first),
                .integer(range.end)
            ) { ($0.blob(0), $0.optionalBlob(1)) }
            for (key, value) in rows { state[key] = value }
            return (number, state, try Self.position(of: claim.group, claim.input, connection))
        }
        return SQLiteStateSession(
            log: self, claim: claim, number: number, initialState: state, initialOffset: position?.offset)
    }

    /// Appends changed state and stores the input's offset in one transaction, unless a later session has taken over.
    func commit(_ entries: [OutgoingEntry], offset: Int64, claim: StateClaim, number: Int) async throws {
        try await write { connection, table in
            guard table.isLatest(number, of: claim.state) else { throw LogError.fenced("\(claim.state)") }
            try SQLiteLogWriter.append(entries, connection, table)
            try Self.store(LogPosition(offset: offset), claim.input, claim.group, connection)
        }
        bell.ring(claim.state)
    }
}
