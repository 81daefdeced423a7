package import EventLog
import MemoryLog
package import SQLite
package import Waiting

/// The log port on one SQLite file: what `fanfare dev` runs on. Appends that were acknowledged survive kill -9 and, as
/// commits wait for the disk, a power cut.
package final class SQLiteLog: EventLog, EmbeddedStorage {
    package let bell = Bell<TopicPartition>()
    let writer: SQLiteWriter
    let readers: SQLiteReaders
    private let table: PartitionCache
    private let groups = EmbeddedGroups()

    /// Opens the file, or makes it.
    package init(_ configuration: SQLiteConfiguration, readers count: Int = 4) throws {
        let table = PartitionCache()
        writer = try SQLiteWriter(configuration, undone: { table.forgetAll() }, prepare: Schema.prepare)
        self.table = table
        readers = try SQLiteReaders(configuration, count: count)
    }

    package func makeWriter() async throws -> any LogWriter { SQLiteLogWriter(log: self) }

    package func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        try await reader(of: partition, from: offset, isLook: false)
    }

    package func look(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        try await reader(of: partition, from: offset, isLook: true)
    }

    private func reader(
        of partition: TopicPartition, from offset: Int64, isLook: Bool
    ) async throws -> EmbeddedFollower {
        let bounds = try await bounds(of: [partition])[partition]!
        guard (bounds.start...bounds.end).contains(offset) else {
            throw LogError.offsetOutOfRange(partition, requested: offset, bounds: bounds)
        }
        return EmbeddedFollower(partition, from: offset, storage: self, isLook: isLook)
    }

    package func join(_ group: GroupName, topics: [TopicName]) async throws -> any LogMembership {
        let described = try await describeTopics(topics)
        let partitions = try topics.flatMap { name in
            guard let topic = described[name] else { throw LogError.unknownTopic(name.rawValue) }
            return (0..<topic.partitions).map { TopicPartition(name, $0) }
        }
        return EmbeddedMembership(group, partitions: partitions, storage: self, groups: groups)
    }

    package func close() async {
        groups.close()
        bell.ringAll()
        await writer.close()
        readers.close()
    }

    /// Runs a request on the writer's thread with the table of partitions, which forgets everything when it fails.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection, PartitionCache) throws -> Result
    ) async throws -> Result {
        do {
            return try await writer.write { [table] connection in
                do {
                    return try body(connection, table)
                } catch {
                    table.forgetAll()
                    throw error
                }
            }
        } catch let error as SQLiteError {
            throw error.logError
        }
    }
}

extension SQLiteError {
    /// The failure as the port's error.
    var logError: LogError {
        switch primaryCode {
        case 21: .closed
        case 5, 6, 13: .unavailable(description)
        default: .broken(description)
        }
    }
}
