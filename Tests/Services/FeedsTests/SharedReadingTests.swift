import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing

@testable import Feeds

/// Readers that share what a process has for reading: they wait for news, are kept between pages, and look at no more
/// than they need.
@Suite struct SharedReadingTests {
    private let history = FeedHistory(random: SeededGenerator(seed: 3), before: 4, after: 5)
    private let keys = KeyRing.generate()
    private let news = FeedWakeups()

    private func service(_ log: any EventLog) -> FeedService {
        FeedService(log: log, layout: FeedHistory.layout, keys: keys, reading: FeedReading(log, news: news))
    }

    private func numbers(_ answer: FeedService.Answer) -> [Int64] { answer.notifications.map(FeedHistory.change) }

    /// The feed's entries from the last notification on, and those before it.
    private func split() throws -> (before: [FeedEntry], after: [FeedEntry], numbers: [Int64]) {
        let index = try #require(history.feed.lastIndex { FeedHistory.change($0) != nil })
        return (
            Array(history.feed[..<index]), Array(history.feed[index...]),
            history.feed[index...].compactMap(FeedHistory.change)
        )
    }

    private func log(feed: [FeedEntry]) async throws -> MemoryLog {
        let log = MemoryLog()
        _ = try await log.createTopics([
            FeedHistory.layout.journalSpecification(FeedHistory.user),
            FeedHistory.layout.feedSpecification(FeedHistory.identity.device, FeedHistory.identity.epoch),
        ])
        try await log.makeWriter().append(
            history.journal.map { FeedHistory.outgoing($0, to: FeedHistory.journalTopic) })
        try await append(feed, to: log)
        return log
    }

    private func append(_ entries: [FeedEntry], to log: MemoryLog) async throws {
        try await log.makeWriter().append(entries.map { FeedHistory.outgoing($0, to: FeedHistory.feedTopic) })
    }

    private func write(_ entries: [FeedEntry]) throws {
        let name = try #require(entries.last?.source?.position)
        news.arrived(FeedHistory.identity.device, FeedHistory.identity.epoch, name)
    }

    @Test(
        "a reader that forgets what it has read ahead goes on with the next notification", arguments: 1...3,
        [true, false])
    func lettingGo(limit: Int, isShared: Bool) async throws {
        let log = try await history.written()
        let reader = try await FeedReader(
            log: log, layout: FeedHistory.layout, identity: FeedHistory.identity, from: nil,
            reading: isShared ? FeedReading(log, news: news) : nil)
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

    @Test(
        "a waiting poll has no reader on the log, and is woken by hints that come before or after their entries")
    func wakes() async throws {
        for isEarly in [false, true] {
            try await within {
                let (before, after, numbers) = try split()
                let log = try await self.log(feed: before)
                let open = Atomic(0)
                let watched = InterceptedLog(log) { _, follower in
                    open.add(1, ordering: .relaxed)
                    return CountedFollower(base: follower) { open.subtract(1, ordering: .relaxed) }
                }
                let service = service(watched)
                let start = try await service.changes(
                    in: FeedHistory.identity, after: nil, limit: 200, waiting: .zero)
                let waiting = Task {
                    try await service.changes(
                        in: FeedHistory.identity, after: start.token, limit: 200, waiting: .seconds(60))
                }
                try await eventually("a poll that waits") {
                    news.waitingCount > 0 && open.load(ordering: .relaxed) == 0
                }
                if isEarly { try write(after) }
                try await append(after, to: log)
                if !isEarly { try write(after) }
                #expect(self.numbers(try await waiting.value) == numbers)
                #expect(open.load(ordering: .relaxed) == 0)
            }
        }
    }

    @Test("a stream that has read the announced entry waits without reading the end of the log")
    func restsAtTheAnnouncedEntry() async throws {
        try await within {
            let (before, after, numbers) = try split()
            let log = try await self.log(feed: before)
            let open = Atomic(0)
            let asked = Atomic(0)
            let watched = InterceptedLog(log) { _, follower in
                open.add(1, ordering: .relaxed)
                let counted = CountedFollower(base: follower) { open.subtract(1, ordering: .relaxed) }
                return LateEnds(base: counted) { asked.add(1, ordering: .relaxed) }
            }
            let reader = try await FeedReader(
                log: watched, layout: FeedHistory.layout, identity: FeedHistory.identity, from: nil,
                reading: FeedReading(watched, news: news))
            var count = 0
            while count < history.expected.count - numbers.count {
                count += try await reader.next(limit: 200, isEager: true).items.count
            }
            try await append(after, to: log)
            try write(after)
            let page = try await reader.next(limit: 200, isEager: true)
            #expect(page.notifications.map(FeedHistory.change) == numbers)
            #expect(open.load(ordering: .relaxed) == 1)
            let known = asked.load(ordering: .relaxed)
            let waiting = Task { try await reader.next(limit: 200, isEager: true) }
            try await eventually("a stream that waits") { open.load(ordering: .relaxed) == 0 }
            #expect(asked.load(ordering: .relaxed) == known)
            waiting.cancel()
            _ = await waiting.result
            await reader.close()
        }
    }

    @Test("an announced entry that a page did not reach is read without another hint")
    func announcedTwiceAndReadOnce() async throws {
        try await within {
            let (before, after, numbers) = try split()
            let log = try await self.log(feed: before)
            let reader = try await FeedReader(
                log: log, layout: FeedHistory.layout, identity: FeedHistory.identity, from: nil,
                reading: FeedReading(log, news: news))
            // The first call starts to watch; it finds a part of the entries.
            var found = try await reader.next(limit: 1).notifications
            try write(after)
            while found.count < history.expected.count - numbers.count {
                found += try await reader.next(limit: 200).notifications
            }
            async let waiting = reader.next(limit: 200).notifications
            try await append(after, to: log)
            found += try await waiting
            #expect(found.map(FeedHistory.change) == history.expected)
            await reader.close()
        }
    }

    @Test("missed hints cost time only: a waiting poll reads again")
    func missedNews() async throws {
        try await within {
            let (before, after, numbers) = try split()
            let log = try await self.log(feed: before)
            let service = service(log)
            let start = try await service.changes(in: FeedHistory.identity, after: nil, limit: 200, waiting: .zero)
            let waiting = Task {
                try await service.changes(
                    in: FeedHistory.identity, after: start.token, limit: 200, waiting: .seconds(60))
            }
            try await eventually("a poll that waits") { news.waitingCount > 0 }
            try await append(after, to: log)
            let asking = Task {
                while !Task.isCancelled {
                    news.missed()
                    await Task.yield()
                }
            }
            #expect(self.numbers(try await waiting.value) == numbers)
            asking.cancel()
        }
    }

    @Test("a wait that ends without news stands where it stood")
    func endsEmpty() async throws {
        let (before, after, numbers) = try split()
        let log = try await self.log(feed: before)
        let service = service(log)
        let start = try await service.changes(in: FeedHistory.identity, after: nil, limit: 200, waiting: .zero)
        let empty = try await service.changes(
            in: FeedHistory.identity, after: start.token, limit: 200, waiting: .milliseconds(30))
        #expect(empty.notifications.isEmpty && !empty.moreComing)
        try await append(after, to: log)
        let rest = try await service.changes(in: FeedHistory.identity, after: empty.token, limit: 200, waiting: .zero)
        #expect(self.numbers(rest) == numbers)
    }

    @Test("pages go on with one reader, and any token of before gives the same by another", arguments: [1, 2, 3])
    func keptReaders(limit: Int) async throws {
        let log = try await history.written()
        let opened = Atomic(0)
        let watched = InterceptedLog(log) { _, follower in
            opened.add(1, ordering: .relaxed)
            return follower
        }
        let service = service(watched)
        var answers: [FeedService.Answer] = []
        repeat {
            answers.append(
                try await service.changes(
                    in: FeedHistory.identity, after: answers.last?.token, limit: limit, waiting: .zero))
        } while answers.last!.moreComing
        #expect(answers.flatMap(numbers) == history.expected)
        // The head of the feed and the journal, once.
        #expect(opened.load(ordering: .relaxed) == 2)
        // Asked for again, a page is the one that it was: its reader has gone on.
        for (token, answer) in zip(answers.map(\.token), answers.dropFirst()) {
            let again = try await service.changes(in: FeedHistory.identity, after: token, limit: limit, waiting: .zero)
            #expect(numbers(again) == numbers(answer))
        }
    }

    @Test("a place in the feed is gone on from by one look at the log")
    func resumes() async throws {
        let log = try await history.written()
        let end = try await service(log).changes(in: FeedHistory.identity, after: nil, limit: 200, waiting: .zero)
        let looks = Atomic(0)
        let watched = InterceptedLog(
            log,
            follow: { _, follower in
                looks.add(1, ordering: .relaxed)
                return follower
            }, boundsReported: { _ in looks.add(1, ordering: .relaxed) })
        let empty = try await service(watched).changes(
            in: FeedHistory.identity, after: end.token, limit: 200, waiting: .zero)
        #expect(empty.notifications.isEmpty)
        #expect(looks.load(ordering: .relaxed) == 1)
    }

    @Test("a feed that is deleted ends the poll that waits for it")
    func removal() async throws {
        try await within {
            let (before, _, _) = try split()
            let log = try await self.log(feed: before)
            let service = service(log)
            let start = try await service.changes(in: FeedHistory.identity, after: nil, limit: 200, waiting: .zero)
            let waiting = Task {
                try await service.changes(
                    in: FeedHistory.identity, after: start.token, limit: 200, waiting: .seconds(60))
            }
            try await eventually("a poll that waits") { news.waitingCount > 0 }
            _ = try await log.deleteTopics([FeedHistory.feedTopic.topic])
            news.missed()
            await expect(code: .notFound) { try await waiting.value }
        }
    }
}

/// Reports when it is closed.
private final class CountedFollower: LogFollower {
    private let base: any LogFollower
    private let closed: @Sendable () -> Void
    private let isClosed = Atomic(false)

    init(base: any LogFollower, closed: @escaping @Sendable () -> Void) {
        self.base = base
        self.closed = closed
    }

    func next() async throws -> LogBatch { try await base.next() }

    func close() {
        if !isClosed.exchange(true, ordering: .relaxed) { closed() }
        base.close()
    }
}

/// Reports an end only at the second request, as Kafka's clients do, and counts the requests.
private final class LateEnds: LogFollower {
    private let base: any LogFollower
    private let asked: @Sendable () -> Void
    private let end = Mutex<LogBatch?>(nil)

    init(base: any LogFollower, asked: @escaping @Sendable () -> Void) {
        self.base = base
        self.asked = asked
    }

    func next() async throws -> LogBatch {
        asked()
        if let end = end.withLock({ $0.take() }) { return end }
        let batch = try await base.next()
        guard batch.isAtEnd, !batch.entries.isEmpty else { return batch }
        end.withLock { $0 = LogBatch(entries: [], nextOffset: batch.nextOffset, isAtEnd: true) }
        return LogBatch(entries: batch.entries, nextOffset: batch.nextOffset, isAtEnd: false)
    }

    func close() { base.close() }
}
