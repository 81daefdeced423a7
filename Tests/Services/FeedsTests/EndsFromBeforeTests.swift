import Cryptography
import EventLog
import MemoryLog
import TestSupport
import Testing

@testable import Feeds

/// Devices that start to wait in their user's journal at a cached end.
@Suite struct EndsFromBeforeTests: ReadingJournals {
    private let keys = KeyRing.generate()

    @Test("one poll after the other gets the next entries, and a page beside it has all entries")
    func polls() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 16), before: 8, after: 8)
        let log = try await emptyLog()
        let process = JournalProcess(log, keys, hasView: true, endAge: .seconds(600))
        try await within {
            try await process.run {
                try await append(history.journal.prefix(2), to: log)
                var (changes, tokens) = try await readAll(process.service)
                for entry in history.journal.dropFirst(2) {
                    let token = try #require(tokens.last)
                    guard FeedHistory.change(entry).map(history.expected.contains) == true else {
                        try await append([entry], to: log)
                        continue
                    }
                    let poll = Task {
                        try await process.service.changes(
                            in: Self.identity, after: token, limit: 10, waiting: .seconds(60))
                    }
                    // Before the poll waits, or after.
                    if changes.count % 2 == 0 {
                        try await eventually("the poll waits") { process.news.waitingCount == 1 }
                    }
                    try await append([entry], to: log)
                    let page = try await process.service.changes(
                        in: Self.identity, after: token, limit: 10, waiting: .zero)
                    #expect(page.notifications.compactMap(FeedHistory.change).last == FeedHistory.change(entry))
                    let answer = try await poll.value
                    changes += answer.notifications.map(FeedHistory.change)
                    tokens.append(answer.token)
                }
                #expect(changes == history.expected)
            }
        }
    }

    /// Runs a process whose clock stands still: its tail asks for bounds at times of its own, to trim the view.
    private func standingStill(
        _ process: JournalProcess, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await within { try await ManualTime().bound { try await process.run(body) } }
    }

    @Test(
        "a starting poll uses a cached end, and reads later entries; a read without waiting asks the log")
    func endsFromBefore() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 17), before: 5, after: 5)
        let changes = history.journal.suffix(4).compactMap(FeedHistory.change).filter(history.expected.contains)
        let log = try await emptyLog()
        try await append(history.journal.dropLast(4), to: log)
        let asked = AskedLog(log)
        let process = JournalProcess(asked, keys, hasView: true, endAge: .seconds(600))
        let other = JournalProcess(log, keys, hasView: true)
        try await standingStill(process) {
            let token = try #require(try await readAll(process.service).tokens.last)
            try await append(history.journal.suffix(4), to: log)
            try await eventually("the view has all") {
                process.tail.next(of: Self.partition) == Int64(2 * history.journal.count)
            }
            let before = asked.count
            for start in [token, token, nil] {
                let reader = try await process.service.open(Self.identity, at: start, mayWait: true)
                let page = try await reader.look(limit: 100, by: process.news, afterWait: false)
                #expect(page.notifications.map(FeedHistory.change) == (start == nil ? history.expected : changes))
                await reader.close()
            }
            #expect(asked.count == before)
            // Another process has read beyond the end that this one has cached.
            let ahead = try await other.run { try #require(try await readAll(other.service).tokens.last) }
            try await process.service.open(Self.identity, at: ahead, mayWait: true).close()
            #expect(asked.count > before)
            let later = asked.count
            try await process.service.open(Self.identity, at: ahead).close()
            #expect(asked.count > later)
        }
    }

    @Test("an end from before retention has moved the start is not believed")
    func startsFromBefore() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 18), before: 5, after: 5)
        let log = try await emptyLog()
        try await append(history.journal, to: log)
        let asked = AskedLog(log)
        let process = JournalProcess(asked, keys, hasView: true, endAge: .seconds(600))
        try await standingStill(process) {
            _ = try await readAll(process.service)
            try await log.truncate([Self.partition: 6])
            // The caller gets the new end, and the view does not. Then the start moves on, and the cached one is
            // stale.
            try await process.service.open(Self.identity, at: nil).close()
            try await log.truncate([Self.partition: 8])
            for _ in 0..<2 {
                let before = asked.count
                let reader = try await process.service.open(Self.identity, at: nil, mayWait: true)
                _ = try await reader.look(limit: 100, by: process.news, afterWait: false)
                #expect(await reader.place.position.offset == Int64(2 * history.journal.count))
                #expect(asked.count > before)
                await reader.close()
            }
        }
    }
}
