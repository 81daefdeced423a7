import CloudModel
import EventLog
import MemoryLog
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Push

/// The push-log: what it keeps, and for how long.
@Suite struct PushLogTests {
    private static let day: Int64 = 86_400_000

    private static func note(_ number: Int64, at noted: Int64, outcome: PushSenderMetrics.Outcome = .sent) -> PushNote {
        PushNote(
            name: SourcePosition(
                source: SourceID(origin: "deliveries", incarnation: 9, partition: 0), offset: number),
            destination: PushDestination(
                device: DeviceID(trusted: "phone"), epoch: DeviceEpoch(3), kind: .apns),
            user: Pushed.user, outcome: outcome, merged: 1, tries: 0, noted: Timestamp(milliseconds: noted))
    }

    private static func numbers(_ path: String) throws -> [Int64] {
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: path), mode: .readOnly)
        return try connection.query("SELECT name FROM pushes ORDER BY id") { row in
            Int64(row.text(0).split(separator: ":")[1].split(separator: ".")[0])!
        }
    }

    @Test("the most rows are enforced, and the oldest go first")
    func rows() async throws {
        let folder = TemporaryFolder()
        let log = try PushLog(path: folder.path("log"), rowsMax: 100) { Timestamp(milliseconds: 1000) }
        for batch in 0..<7 {
            for number in 0..<30 { log.note(Self.note(Int64(batch * 30 + number), at: 1000)) }
            await log.write()
        }
        #expect(try Self.numbers(folder.path("log")) == Array(110..<210))
        await log.close()
        // One that is opened with fewer.
        let small = try PushLog(path: folder.path("log"), rowsMax: 3) { Timestamp(milliseconds: 1000) }
        await small.write()
        #expect(try Self.numbers(folder.path("log")) == [207, 208, 209])
        await small.close()
    }

    @Test("rows of more than a day are removed, and those that a clock that had leapt wrote for later")
    func age() async throws {
        let folder = TemporaryFolder()
        let now = Mutex<Int64>(10 * Self.day)
        let log = try PushLog(path: folder.path("log"), rowsMax: 1000) {
            Timestamp(milliseconds: now.withLock { $0 })
        }
        log.note(Self.note(1, at: 30 * Self.day))
        log.note(Self.note(2, at: 10 * Self.day))
        log.note(Self.note(3, at: 10 * Self.day + 5))
        await log.write()
        #expect(try Self.numbers(folder.path("log")) == [2, 3])
        now.withLock { $0 = 11 * Self.day }
        await log.write()
        #expect(try Self.numbers(folder.path("log")) == [2, 3])
        now.withLock { $0 = 11 * Self.day + 3 }
        await log.write()
        #expect(try Self.numbers(folder.path("log")) == [3])
        await log.close()
    }

    @Test("notes are written some time after they came, many at once, and old rows are removed where none comes")
    func batches() async throws {
        let time = ManualTime()
        try await within {
            try await time.bound {
                let folder = TemporaryFolder()
                let now = Mutex<Int64>(10 * Self.day)
                let log = try PushLog(path: folder.path("log"), rowsMax: 10_000) {
                    Timestamp(milliseconds: now.withLock { $0 })
                }
                let running = Task { await log.run() }
                try await eventually("its wait") { time.pauses == [.seconds(600)] }
                for number in 0..<10 { log.note(Self.note(Int64(number), at: 10 * Self.day)) }
                try await eventually("its pause") { time.pauses.last == .milliseconds(500) }
                #expect(try Self.numbers(folder.path("log")).isEmpty)
                time.advance(by: .milliseconds(500))
                try await eventually("ten rows") { try Self.numbers(folder.path("log")).count == 10 }
                // Two thousand wait for nothing.
                for number in 10..<2010 { log.note(Self.note(Int64(number), at: 10 * Self.day)) }
                try await eventually("all rows") { try Self.numbers(folder.path("log")).count == 2010 }
                now.withLock { $0 = 12 * Self.day }
                try await eventually("the end") {
                    time.advance(by: .seconds(600))
                    return try Self.numbers(folder.path("log")).isEmpty
                }
                running.cancel()
                time.advance(by: .seconds(600))
                await running.value
                await log.close()
            }
        }
    }

    @Test(
        "a folder that cannot be written throws, notes beyond the most are lost, and a file of another version is replaced"
    )
    func faults() async throws {
        let folder = TemporaryFolder()
        #expect(throws: SQLiteError.self) {
            try PushLog(path: folder.path("absent/log"), rowsMax: 10) { Timestamp(milliseconds: 0) }
        }
        let old = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("log")))
        try old.execute("CREATE TABLE pushes (other TEXT); PRAGMA user_version = 99")
        let log = try PushLog(path: folder.path("log"), rowsMax: 1_000_000) { Timestamp(milliseconds: 0) }
        for number in 0..<PushLog.waitingMax + 7 { log.note(Self.note(Int64(number), at: 0)) }
        await log.write()
        #expect(try Self.numbers(folder.path("log")).count == PushLog.waitingMax)
        await log.close()
    }
}
