import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Feeds
import MemoryLog
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing

/// Reading while things happen: waiting, time-outs, retention and removal in between.
@Suite struct FeedReadingTests {
    private let history = FeedHistory(random: SeededGenerator(seed: 3), before: 4, after: 5)
    private let keys = KeyRing.generate()

    private func service(_ log: any EventLog) -> FeedService {
        FeedService(log: log, layout: FeedHistory.layout, keys: keys)
    }

    private func changes(
        _ log: any EventLog, after token: String?, limit: Int = 200, waiting wait: Duration = .zero
    ) async throws -> FeedService.Answer {
        try await service(log).changes(in: FeedHistory.identity, after: token, limit: limit, waiting: wait)
    }

    private func numbers(_ answer: FeedService.Answer) -> [Int64] { answer.notifications.map(FeedHistory.change) }

    /// The feed's entries from the first notification on, and those before it.
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
        let writer = try await log.makeWriter()
        try await writer.append(history.journal.map { FeedHistory.outgoing($0, to: FeedHistory.journalTopic) })
        try await writer.append(feed.map { FeedHistory.outgoing($0, to: FeedHistory.feedTopic) })
        return log
    }

    private func append(_ entries: [FeedEntry], to log: MemoryLog) async throws {
        try await log.makeWriter().append(entries.map { FeedHistory.outgoing($0, to: FeedHistory.feedTopic) })
    }

    /// Reading with a token returns exactly the entries after it, however the tokens are sealed and opened in between.
    @Test(arguments: [1, 2, 3, 200])
    func pagesChainByTheirTokens(limit: Int) async throws {
        let log = try await history.written()
        var token: String?
        var all: [Int64] = []
        while true {
            let answer = try await changes(log, after: token, limit: limit)
            all += numbers(answer)
            token = answer.token
            guard answer.moreComing else { break }
        }
        #expect(all == history.expected)
        let empty = try await changes(log, after: token)
        #expect(empty.notifications.isEmpty && !empty.moreComing)
    }

    /// A page is full by its bytes, too; one notification goes into every page, however large it is.
    @Test(arguments: [1, 100, 1 << 20]) func pagesAreBoundedInBytes(bytesMax: Int) async throws {
        let log = try await history.written()
        let reader = try await FeedReader(
            log: log, layout: FeedHistory.layout, identity: FeedHistory.identity, from: nil)
        var pages: [[Int64]] = []
        while true {
            let page = try await reader.page(limit: 200, bytesMax: bytesMax)
            pages.append(page.notifications.map(FeedHistory.change))
            guard page.moreComing else { break }
        }
        await reader.close()
        #expect(pages.flatMap { $0 } == history.expected)
        if bytesMax == 1 { #expect(pages.allSatisfy { $0.count == 1 }) }
        if bytesMax == 1 << 20 { #expect(pages.count == 1) }
    }

    @Test func aWaitingReaderIsWokenByEntries() async throws {
        try await within {
            let (before, after, numbers) = try split()
            let log = try await self.log(feed: before)
            let start = try await changes(log, after: nil)
            let waiting = Task { try await changes(log, after: start.token, waiting: .seconds(60)) }
            try await append(after, to: log)
            #expect(self.numbers(try await waiting.value) == numbers)
        }
    }

    @Test func aWaitEndsEmptyAndItsTokenMissesNothing() async throws {
        let (before, after, numbers) = try split()
        let log = try await self.log(feed: before)
        let start = try await changes(log, after: nil)
        let empty = try await changes(log, after: start.token, waiting: .milliseconds(30))
        #expect(empty.notifications.isEmpty && !empty.moreComing)
        try await append(after, to: log)
        #expect(self.numbers(try await changes(log, after: empty.token)) == numbers)
    }

    /// A time-out may come when entries have been read and the page is not complete: they must not be lost with it.
    @Test func aTimeOutInTheMiddleOfAPageLosesNothing() async throws {
        try await within {
            let (before, after, numbers) = try split()
            let log = try await self.log(feed: before)
            let start = try await changes(log, after: nil)
            try await append(after, to: log)
            func entry(_ entry: FeedEntry, at offset: Int) -> LogEntry {
                LogEntry(
                    offset: Int64(offset), timestamp: LogTimestamp(milliseconds: 0), key: nil, value: entry.encoded(),
                    headers: [])
            }
            let first = after.enumerated().map { entry($1, at: before.count + $0) }
            // A reader looks at the entry before its token again.
            let last = entry(before[before.count - 1], at: before.count - 1)
            // Returns the end, then entries without the end after them, then nothing for any time.
            let hesitant = InterceptedLog(log) { partition, follower in
                guard partition == FeedHistory.feedTopic else { return follower }
                return ScriptedFollower([
                    LogBatch(entries: [last], nextOffset: Int64(before.count), isAtEnd: true),
                    LogBatch(entries: first, nextOffset: Int64(history.feed.count), isAtEnd: false),
                ])
            }
            let answer = try await changes(hesitant, after: start.token, waiting: .milliseconds(50))
            let rest = try await changes(log, after: answer.token)
            #expect(self.numbers(answer) + self.numbers(rest) == numbers)
        }
    }

    /// Retention may pass between the look at what there is and the reading of it.
    @Test func retentionInBetweenIsAnExpiredToken() async throws {
        for hasToken in [true, false] {
            let log = try await history.written()
            let token = hasToken ? try await changes(log, after: nil, limit: 1).token : nil
            let isFirst = Atomic(true)
            let racing = InterceptedLog(
                log,
                boundsReported: { partitions in
                    guard partitions == [FeedHistory.journalTopic],
                        isFirst.exchange(false, ordering: .relaxed)
                    else { return }
                    try await log.truncate([FeedHistory.journalTopic: Int64(history.journal.count)])
                })
            await expect(code: .changeTokenExpired) { try await changes(racing, after: token) }
        }
    }

    @Test func theRegistrationMayBeTrimmedWhileItIsLookedFor() async throws {
        let log = try await history.written()
        let isFirst = Atomic(true)
        let racing = InterceptedLog(
            log,
            boundsReported: { partitions in
                guard partitions == [FeedHistory.feedTopic], isFirst.exchange(false, ordering: .relaxed) else { return }
                try await log.truncate([FeedHistory.feedTopic: 1])
            })
        let answer = try await changes(racing, after: nil)
        #expect(numbers(answer) == history.feed.dropFirst().compactMap(FeedHistory.change))
    }

    /// Whether a device is registered the store says, before each request; an absent topic may be a moment's.
    @Test func anInvisibleFeedIsRetried() async throws {
        try await within {
            let (before, _, _) = try split()
            let log = try await self.log(feed: before)
            let start = try await changes(log, after: nil)
            let followed = Atomic(0)
            let watched = InterceptedLog(
                log,
                follow: { _, follower in
                    followed.add(1, ordering: .relaxed)
                    return follower
                })
            _ = try await changes(watched, after: start.token)
            let followedByOne = followed.load(ordering: .relaxed)
            let waiting = Task { try await changes(watched, after: start.token, waiting: .seconds(60)) }
            // Gone while it is read, not before.
            try await eventually("a held poll") { followed.load(ordering: .relaxed) == 2 * followedByOne }
            _ = try await log.deleteTopics([FeedHistory.feedTopic.topic])
            await expect(code: .notFound) { try await waiting.value }
            await expect(code: .tryAgainLater) { try await changes(log, after: nil) }
            // Between the look and the reading.
            let other = try await self.log(feed: before)
            let place = try await changes(other, after: nil).token
            let racing = InterceptedLog(
                other,
                boundsReported: { partitions in
                    guard partitions == [FeedHistory.journalTopic] else { return }
                    _ = try await other.deleteTopics([FeedHistory.feedTopic.topic])
                })
            await expect(code: .tryAgainLater) { try await changes(racing, after: place) }
        }
    }

    /// The operator's way: the highest epoch's feed, and the user that its entries name.
    @Test func theLogHasTheLatestRegistration() async throws {
        let log = try await history.written()
        let phone = FeedHistory.identity.device
        for (device, epoch) in [("phone", 7), ("phone2", 99), ("xphone", 98)] {
            _ = try await log.createTopics([
                FeedHistory.layout.feedSpecification(DeviceID(trusted: device), DeviceEpoch(Int64(epoch)))
            ])
        }
        let feed = LogFeed(log: log, layout: FeedHistory.layout, keys: keys)
        #expect(try await feed.identity(of: phone) == FeedHistory.identity)
        await expect(code: .notFound) { try await feed.identity(of: DeviceID(trusted: "tablet")) }
        await expect(code: .notFound) { try await feed.identity(of: DeviceID(trusted: "phone2")) }
        try await log.truncate([FeedHistory.feedTopic: 2])
        #expect(try await feed.identity(of: phone) == FeedHistory.identity)
    }
}

/// Gives batches one by one, and then waits until its reader gives up.
private final class ScriptedFollower: LogFollower {
    private let batches: Mutex<[LogBatch]>

    init(_ batches: [LogBatch]) { self.batches = Mutex(batches) }

    func next() async throws -> LogBatch {
        if let batch = batches.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return batch }
        try await Task.sleep(for: .seconds(3600))
        throw LogError.closed
    }

    func close() {}
}
