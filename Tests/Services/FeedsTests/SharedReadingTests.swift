import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import Synchronization
import TestSupport
import Testing

@testable import Feeds

/// Readers that share what a process has for reading: they wait for news, and are kept between pages.
@Suite struct SharedReadingTests: ReadingJournals {
    private let history = FeedHistory(random: SeededGenerator(seed: 3), before: 4, after: 5)
    private let keys = KeyRing.generate()

    private func numbers(_ answer: FeedService.Answer) -> [Int64] { answer.notifications.map(FeedHistory.change) }

    @Test(
        "a reader that forgets what it has read ahead goes on with the next notification", arguments: 1...3,
        [true, false])
    func lettingGo(limit: Int, hasView: Bool) async throws {
        let log = try await written(history.journal)
        let process = JournalProcess(log, keys, hasView: hasView)
        try await process.run {
            let reader = try await process.service.open(Self.identity, at: nil)
            var found: [Int64] = []
            var hasHeldSome = false
            while true {
                let page = try await reader.page(limit: limit)
                found += page.notifications.map(FeedHistory.change)
                hasHeldSome = await reader.aheadCount > 0 || hasHeldSome
                await reader.letGo()
                #expect(await reader.aheadCount == 0)
                guard page.moreComing else { break }
            }
            await reader.close()
            #expect(found == history.expected && hasHeldSome)
        }
    }

    @Test("a stream gets the entries that come while it reads and while it waits, each once")
    func streams() async throws {
        let log = try await emptyLog()
        let process = JournalProcess(log, keys, hasView: true)
        try await within {
            try await process.run {
                let writing = Task { for entry in history.journal { try await append([entry], to: log) } }
                let reader = try await process.service.open(Self.identity, at: nil, mayWait: true)
                var found: [Int64] = []
                while found.count < history.expected.count {
                    found += try await reader.next(limit: 200, isEager: true).notifications.map(FeedHistory.change)
                }
                try await writing.value
                await reader.close()
                #expect(found == history.expected)
            }
        }
    }

    /// Starts a poll, and waits until it waits.
    private func poll(
        _ process: JournalProcess, after token: String
    ) async throws -> Task<FeedService.Answer, any Error> {
        let poll = Task {
            try await process.service.changes(in: Self.identity, after: token, limit: 200, waiting: .seconds(60))
        }
        try await eventually("a poll that waits") { process.news.waitingCount > 0 }
        return poll
    }

    @Test("missed news cost time only: a waiting poll reads again")
    func missedNews() async throws {
        let (before, after, changes) = try split(history)
        let log = try await written(before)
        let process = JournalProcess(log, keys, hasView: true, rings: false)
        try await within {
            try await process.run {
                let token = try #require(try await readAll(process.service).tokens.last)
                let waiting = try await poll(process, after: token)
                try await append(after, to: log)
                let asking = Task {
                    while !Task.isCancelled {
                        process.news.missed()
                        await Task.yield()
                    }
                }
                #expect(numbers(try await waiting.value) == changes)
                asking.cancel()
            }
        }
    }

    @Test("a wait that ends without news misses nothing")
    func endsEmpty() async throws {
        let (before, after, changes) = try split(history)
        let log = try await written(before)
        let process = JournalProcess(log, keys, hasView: true)
        try await process.run {
            let token = try #require(try await readAll(process.service).tokens.last)
            let empty = try await process.service.changes(
                in: Self.identity, after: token, limit: 200, waiting: .milliseconds(30))
            #expect(empty.notifications.isEmpty && !empty.moreComing)
            try await append(after, to: log)
            #expect(try await readAll(process.service, after: empty.token).changes == changes)
        }
    }

    @Test("pages go on with one reader, and any token of before gives the same by another", arguments: [1, 2, 3])
    func keptReaders(limit: Int) async throws {
        let opened = Atomic(0)
        let watched = InterceptedLog(try await written(history.journal)) { _, follower in
            opened.add(1, ordering: .relaxed)
            return follower
        }
        let service = JournalProcess(watched, keys, hasView: false).service
        func page(after token: String?) async throws -> FeedService.Answer {
            try await service.changes(in: Self.identity, after: token, limit: limit, waiting: .zero)
        }
        var answers: [FeedService.Answer] = []
        repeat { answers.append(try await page(after: answers.last?.token)) } while answers.last!.moreComing
        #expect(answers.flatMap(numbers) == history.expected)
        #expect(opened.load(ordering: .relaxed) == 1)
        // Asked for again, a page is the one that it was: its reader has gone on.
        for (token, answer) in zip(answers.map(\.token), answers.dropFirst()) {
            #expect(numbers(try await page(after: token)) == numbers(answer))
        }
    }

    @Test("the removal of a device ends the poll that waits for it")
    func removal() async throws {
        let log = try await written(history.journal)
        let process = JournalProcess(log, keys, hasView: true)
        try await within {
            try await process.run {
                let token = try #require(try await readAll(process.service).tokens.last)
                let waiting = try await poll(process, after: token)
                try await append([history.removal], to: log)
                await expect(code: .notFound) { try await waiting.value }
            }
        }
    }
}
