package import EventLog
import SQLite
import Waiting

extension SQLiteLog {
    package func identity() async throws -> String {
        let found = try await read { connection in
            try connection.first("SELECT identity FROM log") { $0.text(0) }
        }
        guard let found else { throw LogError.broken("the log's file has lost its identity") }
        return found
    }

    package func createTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: TopicCreation] {
        try await write { connection, _ in
            var results: [TopicName: TopicCreation] = [:]
            for specification in specifications where results[specification.name] == nil {
                results[specification.name] = try Self.create(specification, connection)
            }
            return results
        }
    }

    private static func create(
        _ specification: TopicSpecification, _ connection: SQLiteConnection
    ) throws -> TopicCreation {
        try connection.run(
            """
            INSERT INTO topics (name, partitions, incarnation, retention, message_max, is_source)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING
            """,
            .text(specification.name.rawValue), .integer(Int64(specification.partitions)),
            .integer(.random(in: 1 ... .max)), .optional(specification.retention),
            .integer(Int64(specification.messageBytesMax)),
            .integer(specification.isSource ? 1 : 0))
        guard connection.changes == 1 else { return .existed }
        let topic = connection.lastInsertedRow
        for number in 0..<specification.partitions {
            try connection.run(
                "INSERT INTO partitions (topic, number) VALUES (?, ?)", .integer(topic), .integer(Int64(number)))
            guard connection.lastInsertedRow < EntryRows.partitionsEnd else {
                throw LogError.broken("the log's file has had \(EntryRows.partitionsEnd) partitions, and takes no more")
            }
        }
        return .created
    }

    package func configureTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: LogError] {
        try await write { connection, table in
            for specification in specifications {
                table.forget(specification.name)
                try connection.run(
                    "UPDATE topics SET retention = ?, message_max = ?, is_source = max(is_source, ?) WHERE name = ?",
                    .optional(specification.retention), .integer(Int64(specification.messageBytesMax)),
                    .integer(specification.isSource ? 1 : 0), .text(specification.name.rawValue))
            }
        }
        return [:]
    }

    package func describeTopics(_ names: [TopicName]) async throws -> [TopicName: TopicDescription] {
        try await read { connection in
            var result: [TopicName: TopicDescription] = [:]
            for name in names {
                result[name] = try connection.first(
                    "SELECT partitions, retention, message_max, is_source, incarnation FROM topics WHERE name = ?",
                    .text(name.rawValue)
                ) { row in
                    TopicDescription(
                        name: name, partitions: Int32(row.integer(0)),
                        cleanup: row.optionalInteger(1).map { .delete(afterMilliseconds: $0) } ?? .compact,
                        messageBytesMax: Int(row.integer(2)),
                        incarnation: row.integer(3) == 1 ? UInt64(row.integer(4)) : nil, replicationFactor: 1)
                }
            }
            return result
        }
    }

    package func topics(withPrefix prefix: String) async throws -> [TopicName] {
        try await read { connection in
            try connection.query(
                "SELECT name FROM topics WHERE substr(name, 1, ?) = ? ORDER BY name",
                .integer(Int64(prefix.unicodeScalars.count)), .text(prefix)
            ) { TopicName($0.text(0)) }
        }
    }

    package func deleteTopics(_ names: [TopicName]) async throws -> [TopicName: LogError] {
        let gone = try await write { connection, table in
            var gone: [TopicPartition] = []
            for name in names {
                table.forget(name)
                let partitions = try connection.query(
                    "SELECT p.id, p.number FROM partitions p JOIN topics t ON t.id = p.topic WHERE t.name = ?",
                    .text(name.rawValue)
                ) { ($0.integer(0), Int32($0.integer(1))) }
                for (id, number) in partitions {
                    let rows = EntryRows(of: id)
                    try connection.run(
                        "DELETE FROM entries WHERE id >= ? AND id < ?", .integer(rows.first), .integer(rows.end))
                    gone.append(TopicPartition(name, number))
                }
                if !partitions.isEmpty { try connection.execute(KeyIndex(of: name, connection).removal) }
                try connection.run("DELETE FROM positions WHERE topic = ?", .text(name.rawValue))
                try connection.run("DELETE FROM topics WHERE name = ?", .text(name.rawValue))
            }
            return gone
        }
        for partition in gone { bell.ring(partition) }
        return [:]
    }

    /// Reads beside the writer.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) async throws -> Result {
        do {
            return try await readers.read(body)
        } catch let error as SQLiteError {
            throw error.logError
        }
    }
}

extension TopicSpecification {
    /// Milliseconds that entries are kept; nil where a key's last entry is.
    fileprivate var retention: Int64? {
        switch cleanup {
        case .compact: nil
        case .delete(let milliseconds): milliseconds
        }
    }
}
