import Dispatch
import Foundation
import TestSupport
import Testing

@testable import SQLite

@Suite struct SQLiteWriterTests {
    let folder = TemporaryFolder()

    private func makeWriter() throws -> SQLiteWriter {
        try SQLiteWriter(SQLiteConfiguration(path: folder.path("a.sqlite"), isDurable: false), undone: {}) {
            try $0.execute("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, writer INTEGER)")
        }
    }

    @Test func manyWritersAtOnceLoseNothingAndKeepTheirOwnOrder() async throws {
        let writer = try makeWriter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    for _ in 0..<50 {
                        try await writer.write {
                            try $0.run("INSERT INTO t (writer) VALUES (?)", .integer(Int64(number)))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await writer.write { try $0.first("SELECT count(*) FROM t") { $0.integer(0) } }
        #expect(count == 1000)
    }

    @Test func aRequestThatThrowsUndoesItselfAndNobodyElse() async throws {
        struct Refused: Error {}
        let writer = try makeWriter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try? await writer.write {
                        try $0.run("INSERT INTO t (id, writer) VALUES (?, 1)", .integer(Int64(number)))
                        if number.isMultiple(of: 2) { throw Refused() }
                    }
                }
            }
        }
        let kept = try await writer.write { try $0.query("SELECT id FROM t ORDER BY id") { $0.integer(0) } }
        #expect(kept == (0..<100).filter { !$0.isMultiple(of: 2) }.map(Int64.init))
    }

    @Test("nobody waits for the commit of a key whose last request was large", arguments: [true, false])
    func largeRequests(isLarge: Bool) async throws {
        let writer = try makeWriter()
        let size = isLarge ? SQLiteWriter.heavyBytes + 1 : 10
        let configuration = SQLiteConfiguration(path: folder.path("a.sqlite"))
        try await writer.write { try $0.execute("CREATE TABLE bodies (body BLOB)") }
        try await writer.write(for: "large") {
            try $0.run("INSERT INTO bodies (body) VALUES (?)", .blob([UInt8](repeating: 1, count: size)))
        }
        // Both wait while another request runs, so that the next transaction may take both.
        let goOn = DispatchSemaphore(value: 0)
        let (beginnings, begins) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await writer.write(for: "first") { _ in
                begins.finish()
                goOn.wait()
            }
        }
        for await _ in beginnings {}
        let small = Task {
            try await writer.write(for: "small") { try $0.run("INSERT INTO t (id) VALUES (7)") }
        }
        try await eventually("the small request waits") { writer.waitingCount == 1 }
        let large = Task {
            try await writer.write(for: "large") { _ in
                let reader = try SQLiteConnection.open(configuration, mode: .readOnly)
                return try reader.first("SELECT count(*) FROM t") { $0.integer(0) } ?? -1
            }
        }
        try await eventually("the large request waits") { writer.waitingCount == 2 }
        goOn.signal()
        try await first.value
        try await small.value
        #expect(try await large.value == (isLarge ? 1 : 0), "rows that others see as it runs")
    }

    @Test func readersSeeCommittedRowsOnly() async throws {
        let writer = try makeWriter()
        let readers = try SQLiteReaders(SQLiteConfiguration(path: folder.path("a.sqlite")), count: 2)
        for number in 1...20 {
            try await writer.write { try $0.run("INSERT INTO t (id) VALUES (?)", .integer(Int64(number))) }
            let seen = try await readers.read { try $0.first("SELECT count(*) FROM t") { $0.integer(0) } }
            #expect(seen == Int64(number))
        }
        await #expect(throws: SQLiteError.self) { try await readers.read { try $0.run("DELETE FROM t") } }
    }

    @Test func moreReadsThanConnectionsAllGetTheirTurn() async throws {
        let writer = try makeWriter()
        try await writer.write { try $0.run("INSERT INTO t (id) VALUES (7)") }
        let readers = try SQLiteReaders(SQLiteConfiguration(path: folder.path("a.sqlite")), count: 2)
        let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<50 {
                group.addTask { try await readers.read { try $0.first("SELECT id FROM t") { $0.integer(0) } ?? 0 } }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 350)
    }

    @Test func aClosedWriterRefuses() async throws {
        let writer = try makeWriter()
        await writer.close()
        await #expect(throws: SQLiteError.self) {
            try await writer.write { try $0.run("INSERT INTO t (id) VALUES (1)") }
        }
    }

    @Test func theNextWriterSeesCommittedRows() async throws {
        let first = try makeWriter()
        try await first.write { try $0.run("INSERT INTO t (id) VALUES (42)") }
        await first.close()
        let second = try makeWriter()
        #expect(try await second.write { try $0.query("SELECT id FROM t") { $0.integer(0) } } == [42])
    }

    @Test func aCopyIsOfOneMomentWhileOthersWrite() async throws {
        let writer = try makeWriter()
        let pairs = Task {
            // Two rows a transaction, until the copies are made.
            for number in 0..<100_000 where !Task.isCancelled {
                try await writer.write {
                    for _ in 0..<2 { try $0.run("INSERT INTO t (writer) VALUES (?)", .integer(Int64(number))) }
                }
            }
        }
        var before: Int64 = 0
        for number in 0..<5 {
            let path = folder.path("copy-\(number).sqlite")
            let source = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("a.sqlite")), mode: .readOnly)
            try source.copy(to: path)
            let copy = try SQLiteConnection.open(SQLiteConfiguration(path: path), mode: .readOnly)
            let count = try copy.first("SELECT count(*) FROM t") { $0.integer(0) } ?? -1
            #expect(count.isMultiple(of: 2) && count >= before)
            #expect(try copy.first("PRAGMA quick_check") { $0.text(0) } == "ok")
            before = count
        }
        pairs.cancel()
        try? await pairs.value
    }

    /// Bytes of the file and of its write-ahead log.
    private func sizes() -> (file: Int, log: Int) {
        func size(_ suffix: String) -> Int {
            let values = try? FileManager.default.attributesOfItem(atPath: folder.path("a.sqlite") + suffix)
            return (values?[.size] as? Int) ?? 0
        }
        return (size(""), size("-wal"))
    }

    @Test("commits write nothing into the file, which a checkpoint beside them does")
    func checkpoints() async throws {
        let plan = CheckpointPlan(first: 100, rest: 25, most: .max)
        let writer = try SQLiteWriter(
            SQLiteConfiguration(path: folder.path("a.sqlite"), isDurable: false), plan,
            prepare: { try $0.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, value BLOB)") })
        @Sendable func fill(_ count: Int) async throws {
            for _ in 0..<count {
                try await writer.write {
                    try $0.run("INSERT INTO t (value) VALUES (?)", .blob([UInt8](repeating: 1, count: 100_000)))
                }
            }
        }
        writer.checkpoints.queue.suspend()
        try await fill(20)
        // More than 400 pages are in the log.
        #expect(sizes().file < 50_000 && sizes().log > 2_000_000, "\(sizes())")
        writer.checkpoints.queue.resume()
        try await eventually("the pages are in the file") { [self] in sizes().file > 1_000_000 }
        // The next commit after the whole log is in the file begins the log again.
        try await eventually("the log begins again") { [self] in
            let before = sizes().log
            try await fill(1)
            return sizes().log == before
        }
        await writer.close()
        #expect(sizes().file > 2_000_000)
    }

    @Test("a log that no checkpoint beside the writer keeps short is kept short by the writer")
    func boundedLog() async throws {
        let writer = try SQLiteWriter(
            SQLiteConfiguration(path: folder.path("a.sqlite"), isDurable: false),
            CheckpointPlan(first: 50, rest: 10, most: 200),
            prepare: { try $0.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, value BLOB)") })
        writer.checkpoints.queue.suspend()
        for _ in 0..<100 {
            try await writer.write {
                try $0.run("INSERT INTO t (value) VALUES (?)", .blob([UInt8](repeating: 1, count: 100_000)))
            }
        }
        // 2,500 pages were written.
        #expect(sizes().log < 400 * 4200, "\(sizes())")
        writer.checkpoints.queue.resume()
        await writer.close()
    }
}
