import EventLog
import MemoryLog
import SQLite
import TestSupport
import Testing

@testable import SQLiteLog

/// The keyed view that the embedded log serves from its own entries.
@Suite struct LogKeyedViewTests {
    private let folder = TemporaryFolder()
    private let name = TopicName("keyed")

    private func open() throws -> SQLiteLog {
        try SQLiteLog(SQLiteConfiguration(path: folder.path("log.sqlite"), isDurable: false))
    }

    private func create(_ names: [TopicName], in log: SQLiteLog) async throws {
        _ = try await log.createTopics(
            names.map {
                TopicSpecification(
                    name: $0, partitions: 3, cleanup: .delete(afterMilliseconds: 1000), messageBytesMax: 1 << 20,
                    isSource: true)
            })
    }

    private func entry(_ number: Int32, _ key: UInt8, _ value: [UInt8]?, of topic: TopicName? = nil) -> OutgoingEntry {
        OutgoingEntry(
            TopicPartition(topic ?? name, number), key: [key], value: value,
            timestamp: LogTimestamp(milliseconds: 1))
    }

    /// Hands the entries of the log to views, as a follower does.
    private func follow(_ log: SQLiteLog, _ views: [any KeyedView], _ partition: TopicPartition) async throws {
        let incarnation = try await log.incarnation(of: partition.topic)
        let start = try await views[0].place(of: partition)?.next ?? 0
        let reader = try await log.reader(of: partition)
        var next = start
        while next < reader.bounds.end {
            let batch = try await reader.batch(from: next)
            for view in views {
                try await view.take(
                    batch.entries, of: partition, to: KeyedPlace(incarnation: incarnation, next: batch.nextOffset))
            }
            next = batch.nextOffset
        }
    }

    @Test("it has the entries of a copy, after any writes and removals", arguments: TestSeeds.several(20))
    func twin(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let log = try open()
        // Neighbours in the file are not in the index.
        try await create([TopicName("before"), name, TopicName("after")], in: log)
        let (copy, view) = (MemoryKeyedView(), log.keyedView())
        let writer = try await log.makeWriter()
        for number in Int32(0)..<3 { _ = try await view.place(of: TopicPartition(name, number)) }
        for _ in 0..<12 {
            var entries: [OutgoingEntry] = []
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let topic = [TopicName("before"), name, TopicName("after")].randomElement(using: &random)!
                let bytes = Int.random(in: 0...9, using: &random) == 0 ? 1 << 19 : 3
                let value: [UInt8]? =
                    Int.random(in: 0...7, using: &random) == 0
                    ? nil : [UInt8](repeating: .random(in: 0...9, using: &random), count: bytes)
                entries.append(
                    entry(.random(in: 0...2, using: &random), .random(in: 0...4, using: &random), value, of: topic))
            }
            try await writer.append(entries)
            for number in Int32(0)..<3 {
                let partition = TopicPartition(name, number)
                try await follow(log, [copy, view], partition)
                let keys = try await copy.keys(of: partition)
                #expect(Set(try await view.keys(of: partition)) == Set(keys))
                for key in UInt8(0)...5 {
                    let end = try await log.bounds(of: [partition])[partition]!.end
                    let from = Int64.random(in: 0...end, using: &random)
                    let (found, wanted) = try await (
                        all(view, key, partition, from), all(copy, key, partition, from)
                    )
                    #expect(found == wanted, "seed \(seed)")
                }
            }
        }
    }

    private struct Read: Equatable {
        var entries: [[UInt8]] = []
        var offsets: [Int64] = []
        var next: Int64 = 0
    }

    private func all(
        _ view: any KeyedView, _ key: UInt8, _ partition: TopicPartition, _ from: Int64
    ) async throws -> Read {
        var read = Read(next: from)
        while true {
            let batch = try await view.entries(of: [key], in: partition, from: read.next)
            read.entries += batch.entries.map { $0.value ?? [] }
            read.offsets += batch.entries.map(\.offset)
            read.next = batch.nextOffset
            if batch.isAtEnd { return read }
        }
    }

    @Test("it ends where its follower has come, though the log goes on")
    func place() async throws {
        let log = try open()
        try await create([name], in: log)
        let (view, partition) = (log.keyedView(), TopicPartition(name, 1))
        let writer = try await log.makeWriter()
        try await writer.append([entry(1, 7, [1])])
        #expect(try await view.entries(of: [7], in: partition, from: 0).entries.isEmpty, "nobody follows yet")
        #expect(try await view.place(of: partition)?.next == 1)
        try await writer.append([entry(1, 7, [2])])
        let batch = try await view.entries(of: [7], in: partition, from: 0)
        #expect(batch.entries.map(\.value) == [[1]] && batch.nextOffset == 1 && batch.isAtEnd)
        try await view.take([], of: partition, to: KeyedPlace(incarnation: 1, next: 2))
        #expect(try await view.entries(of: [7], in: partition, from: 1).entries.map(\.value) == [[2]])
        try await view.forget(partition)
        #expect(try await view.keys(of: partition).isEmpty)
    }

    @Test("it is there at once when a file without the index is opened, and its reads use the index")
    func opening() async throws {
        let first = try open()
        try await create([name], in: first)
        try await first.makeWriter().append((0..<50).map { entry(2, UInt8($0 % 5), [UInt8($0)]) })
        await first.close()
        let log = try open()
        let (view, partition) = (log.keyedView(), TopicPartition(name, 2))
        #expect(try await view.place(of: partition)?.next == 50)
        let found = try await view.entries(of: [3], in: partition, from: 20).entries.map(\.offset)
        #expect(found == [23, 28, 33, 38, 43, 48])
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("log.sqlite")))
        let term = try KeyIndex(of: name, connection).term
        for (column, condition) in [
            ("id", "key = x'03' AND id > 5 AND id < 9"), ("min(key)", "key >= x''"),
            ("id", "value IS NULL AND key = x'03' AND id > 5 AND id < 9"),
        ] {
            let plan = try connection.query(
                "EXPLAIN QUERY PLAN SELECT \(column) FROM entries WHERE \(condition) AND \(term)"
            ) { $0.text(3) }
            #expect(plan.allSatisfy { $0.contains("keyed_") }, "\(plan)")
        }
    }

    @Test("a page late in a long journal reads no more pages of the file than an early one")
    func lateness() async throws {
        let log = try open()
        try await create([name], in: log)
        let partition = TopicPartition(name, 0)
        _ = try await log.keyedView().place(of: partition)
        let count: Int64 = 20_000
        try await log.makeWriter().append((0..<count).map { _ in entry(0, 1, [UInt8](repeating: 7, count: 40)) })
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("log.sqlite")))
        let index = try KeyIndex(of: name, connection)
        let first = try connection.first("SELECT min(id) FROM entries") { $0.integer(0) }!
        func pages(from offset: Int64) throws -> Int {
            let before = connection.touchedPages
            var found: [Int64] = []
            try connection.visit(
                index.entriesOfKey, [.blob([1]), .integer(first + offset), .integer(first + count), .integer(10)]
            ) { row in
                found.append(row.integer(0) - first)
                return true
            }
            #expect(found == Array(offset..<offset + 10))
            return connection.touchedPages - before
        }
        _ = try pages(from: 0)
        let (early, late) = (try pages(from: 0), try pages(from: count - 10))
        #expect(late <= early + 10, "\(late) pages, and \(early) early")
    }

    @Test("the index goes with its topic, and the topic that takes its name has one of its own")
    func recreation() async throws {
        let log = try open()
        try await create([name], in: log)
        let (view, partition) = (log.keyedView(), TopicPartition(name, 0))
        _ = try await view.place(of: partition)
        try await log.makeWriter().append([entry(0, 1, [1]), entry(0, 2, [2])])
        _ = try await log.deleteTopics([name])
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("log.sqlite")))
        func indexes() throws -> [String] {
            try connection.query("SELECT name FROM sqlite_schema WHERE name LIKE 'keyed_%'") { $0.text(0) }
        }
        #expect(try indexes().isEmpty)
        try await create([name], in: log)
        #expect(try await view.place(of: partition)?.next == 0)
        #expect(try indexes().count == 2)
        try await log.makeWriter().append([entry(0, 2, [3])])
        #expect(try await view.place(of: partition)?.next == 1)
        #expect(try await view.keys(of: partition) == [[2]])
        #expect(try await view.entries(of: [2], in: partition, from: 0).entries.map(\.value) == [[3]])
    }

    @Test("what retention removes is removed from it, and offsets stay")
    func retention() async throws {
        let log = try open()
        try await create([name], in: log)
        let (view, partition) = (log.keyedView(), TopicPartition(name, 0))
        try await log.makeWriter().append([entry(0, 1, [1])])
        try await log.maintain(at: LogTimestamp(milliseconds: 10_000))
        try await log.makeWriter().append([entry(0, 1, [2])])
        _ = try await view.place(of: partition)
        #expect(try await view.entries(of: [1], in: partition, from: 1).entries.map(\.offset) == [1])
        await #expect(throws: LogError.self) { try await view.entries(of: [1], in: partition, from: 0) }
    }
}
