import Dispatch
import Foundation
import Synchronization
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

    /// Requests that note when they run, behind one that is held until all of them wait.
    private final class Line: Sendable {
        let writer: SQLiteWriter
        private let ran = Mutex<[String]>([])
        private let tasks = Mutex<[Task<Void, any Error>]>([])

        init(_ writer: SQLiteWriter) { self.writer = writer }

        var order: [String] { ran.withLock { $0 } }

        /// Submits a request of a key; `then` runs within it.
        func submit(_ key: String, moving bytes: Int = 0, then: @escaping @Sendable () -> Void = {}) {
            let task = Task {
                try await self.writer.write(for: key) { connection in
                    self.ran.withLock { $0.append(key) }
                    try connection.moved.add(bytes)
                    then()
                }
            }
            tasks.withLock { $0.append(task) }
        }

        /// As above, and returns once so many requests wait, on any thread.
        func submit(_ key: String, moving bytes: Int = 0, until waiting: Int) {
            submit(key, moving: bytes)
            while writer.waitingCount < waiting { sched_yield() }
        }

        /// Runs what `submitting` submits, and what that submits, after all of it waits.
        func run(_ submitting: @escaping @Sendable () -> Void) async throws {
            try await writer.write(for: "first") { _ in submitting() }
            while let task = tasks.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { try await task.value }
        }
    }

    private func line(large keys: String...) async throws -> Line {
        let line = Line(try makeWriter())
        for key in keys {
            try await line.writer.write(for: key) { try $0.moved.add(SQLiteWriter.heavyBytes + 1) }
        }
        return line
    }

    @Test("a small request waits for no key with large ones, though they came first")
    func smallFirst() async throws {
        try await within {
            let line = try await line(large: "a", "b", "c")
            try await line.run {
                for (number, key) in ["a", "b", "small", "c", "other"].enumerated() {
                    line.submit(key, until: number + 1)
                }
            }
            #expect(line.order == ["small", "other", "a", "b", "c"])
        }
    }

    @Test("large requests wait for so many transactions of small ones at most")
    func largeGetTheirTurn() async throws {
        try await within {
            let line = try await line(large: "large")
            @Sendable func small(_ number: Int) {
                line.submit("small-\(number)") {
                    guard number < 3 * SQLiteWriter.lightTransactionsMax else { return }
                    small(number + 1)
                    let waiting = line.order.contains("large") ? 1 : 2
                    while line.writer.waitingCount < waiting { sched_yield() }
                }
            }
            try await line.run {
                line.submit("large", until: 1)
                small(1)
                while line.writer.waitingCount < 2 { sched_yield() }
            }
            #expect(line.order.firstIndex(of: "large") == SQLiteWriter.lightTransactionsMax)
        }
    }

    @Test("requests of a key stay in order while it becomes one with large requests, and while it is one no more")
    func order() async throws {
        try await within {
            let line = try await line()
            try await line.run {
                line.submit("k", moving: SQLiteWriter.heavyBytes + 1, until: 1)
                line.submit("k", moving: 1, until: 2)
                line.submit("x", until: 3)
                line.submit("k", until: 4)
            }
            #expect(line.order == ["k", "x", "k", "k"])
            let later = try await self.line(large: "k")
            try await later.run {
                later.submit("k", until: 1)
                later.submit("k", until: 2)
                later.submit("x") {
                    later.submit("k", until: 3)
                }
                while later.writer.waitingCount < 3 { sched_yield() }
            }
            #expect(later.order == ["x", "k", "k", "k"])
        }
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
