import CSQLiteLoop
import EventLog
import Foundation
import MemoryLog
import SQLite
import SQLiteLog

/// One amount of work that all sides do: entries with keys of 16 and values of 200 bytes, to some topics in turns, some
/// of them in each transaction, each commit on disk.
struct Workload: Sendable {
    let folder: URL
    let topics: Int
    let group: Int
    let entries: Int
    let keySize = 16
    let valueSize = 200

    /// Seconds that the log on SQLite takes.
    func inSwift() async throws -> Double {
        try await withFile { path in
            let log = try SQLiteLog(SQLiteConfiguration(path: path))
            let took = try await append(to: log)
            await log.close()
            return took
        }
    }

    /// Seconds that the log in memory takes: what the rest costs.
    func inMemory() async throws -> Double { try await append(to: MemoryLog()) }

    /// Seconds that C takes.
    func inC() async throws -> Double {
        try await withFile { path in
            // Off the cooperative pool, as it blocks.
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        returning: csqlite_append(path, topics, entries, group, keySize, valueSize))
                }
            }
        }
    }

    private func append(to log: any EventLog) async throws -> Double {
        let names = (0..<topics).map { TopicName("benchmark.\($0)") }
        _ = try await log.createTopics(
            names.map {
                TopicSpecification(
                    name: $0, partitions: 1, cleanup: .delete(afterMilliseconds: 86_400_000), messageBytesMax: 4 << 20)
            })
        let partitions = names.map { TopicPartition($0) }
        let writer = try await log.makeWriter()
        let key = [UInt8](repeating: UInt8(ascii: "k"), count: keySize)
        let value = [UInt8](repeating: UInt8(ascii: "x"), count: valueSize)
        let began = ContinuousClock.now
        var topic = 0
        for start in stride(from: 0, to: entries, by: group) {
            var part: [OutgoingEntry] = []
            part.reserveCapacity(group)
            for number in start..<min(start + group, entries) {
                part.append(
                    OutgoingEntry(
                        partitions[topic], key: key, value: value,
                        timestamp: LogTimestamp(milliseconds: 1_700_000_000_000 + Int64(number))))
                topic = topic + 1 == topics ? 0 : topic + 1
            }
            try await writer.append(part)
        }
        let took = (ContinuousClock.now - began).components
        return Double(took.seconds) + Double(took.attoseconds) / 1e18
    }

    /// Gives a file of its own, which is removed afterwards with what SQLite keeps beside it.
    private func withFile(_ body: (String) async throws -> Double) async throws -> Double {
        let path = folder.appendingPathComponent("\(UUID().uuidString).sqlite").path
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        return try await body(path)
    }
}
