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

/// Readers that share nothing: pages, waiting, time-outs and retention in between.
@Suite struct FeedReadingTests: ReadingJournals {
    private let history = FeedHistory(random: SeededGenerator(seed: 3), before: 4, after: 5)
    private let keys = KeyRing.generate()

    private func changes(
        _ log: any EventLog, after token: String?, limit: Int = 200, waiting wait: Duration = .zero
    ) async throws -> FeedService.Answer {
        let service = FeedService(FeedSources(log, layout: Self.layout), keys: keys)
        return try await service.changes(in: Self.identity, after: token, limit: limit, waiting: wait)
    }

    private func numbers(_ answer: FeedService.Answer) -> [Int64] { answer.notifications.map(FeedHistory.change) }

    @Test("pages of any size give the same, by one reader or by a new one for each page", arguments: 1...12)
    func sizes(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let history = FeedHistory(random: random, before: Int.random(in: 0...8, using: &random), after: 6)
        let log = try await written(history.journal)
        for limit in 1...(history.expected.count + 2) {
            for reopens in [true, false] {
                for reading in [nil, FeedReading(log)] {
                    let changes = try await pages(log, limit, reopens, reading, history)
                    #expect(changes == history.expected, "seed \(seed), \(limit)")
                }
            }
        }
    }

    /// Reads page after page, through a new reader each time or by the same one.
    private func pages(
        _ log: MemoryLog, _ limit: Int, _ reopens: Bool, _ reading: FeedReading?, _ history: FeedHistory
    ) async throws -> [Int64] {
        var current = try await reader(log, reading: reading)
        var changes: [Int64] = []
        while true {
            let page = try await current.page(limit: limit)
            changes += page.notifications.map(FeedHistory.change)
            #expect(page.moreComing == (changes.count < history.expected.count))
            #expect(page.items.count == limit || !page.moreComing)
            guard page.moreComing else { return changes }
            if reopens { current = try await reader(log, from: page.place, reading: reading) }
        }
    }

    @Test(
        "a page is full by its bytes, too; one notification goes into every page, however large it is",
        arguments: [1, 100, 1 << 20])
    func bytes(bytesMax: Int) async throws {
        let reader = try await reader(written(history.journal))
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

    @Test("a waiting reader is woken by entries")
    func woken() async throws {
        try await within {
            let (before, after, changes) = try split(history)
            let log = try await written(before)
            let start = try await self.changes(log, after: nil)
            let waiting = Task { try await self.changes(log, after: start.token, waiting: .seconds(60)) }
            try await append(after, to: log)
            #expect(numbers(try await waiting.value) == changes)
        }
    }

    @Test("a wait on the log ends with NOT_FOUND where the topic is deleted meanwhile")
    func goneWhileWaiting() async throws {
        try await within {
            let log = try await written(history.journal)
            let reader = try await reader(log)
            #expect(try await reader.page(limit: 200).items.count == history.expected.count)
            let waiting = Task { try await reader.next(limit: 10) }
            _ = try await log.deleteTopics([Self.layout.journals])
            let error = await #expect(throws: CloudError.self) { try await waiting.value }
            #expect(error?.code == .notFound, "\(String(describing: error))")
        }
    }

    @Test("a wait ends empty, and its token misses nothing")
    func endsEmpty() async throws {
        let (before, after, changes) = try split(history)
        let log = try await written(before)
        let start = try await self.changes(log, after: nil)
        let empty = try await self.changes(log, after: start.token, waiting: .milliseconds(30))
        #expect(empty.notifications.isEmpty && !empty.moreComing)
        try await append(after, to: log)
        #expect(numbers(try await self.changes(log, after: empty.token)) == changes)
    }

    /// A time-out may come when entries have been read and the page is not complete: they must not be lost with it.
    @Test("a time-out in the middle of a page loses nothing")
    func timeOut() async throws {
        try await within {
            let (before, after, changes) = try split(history)
            let log = try await written(before, others: 0)
            let start = try await self.changes(log, after: nil)
            try await append(after, to: log, others: 0)
            func entry(_ entry: FeedEntry, at offset: Int) -> LogEntry {
                LogEntry(
                    offset: Int64(offset), timestamp: LogTimestamp(milliseconds: 0),
                    key: Self.layout.userKey(FeedHistory.user), value: entry.encoded(), headers: [])
            }
            let first = after.enumerated().map { entry($1, at: before.count + $0) }
            // A reader looks at the entry before its token again.
            let last = entry(before[before.count - 1], at: before.count - 1)
            // Returns the end, then entries without the end after them, then nothing for any time.
            let hesitant = ScriptedLog(
                base: log,
                batches: [
                    last.offset: LogBatch(entries: [last], nextOffset: Int64(before.count), isAtEnd: true),
                    Int64(before.count): LogBatch(
                        entries: first, nextOffset: Int64(history.journal.count), isAtEnd: false),
                ])
            let answer = try await self.changes(hesitant, after: start.token, waiting: .milliseconds(50))
            let rest = try await self.changes(log, after: answer.token)
            #expect(numbers(answer) + numbers(rest) == changes)
        }
    }

    @Test("retention between the look at the bounds and the reading is an expired token", arguments: [true, false])
    func retention(hasToken: Bool) async throws {
        let log = try await written(history.journal)
        let token = hasToken ? try await changes(log, after: nil, limit: 1).token : nil
        let isFirst = Atomic(true)
        let racing = InterceptedLog(
            log,
            boundsReported: { partitions in
                guard partitions == [Self.partition], isFirst.exchange(false, ordering: .relaxed) else { return }
                try await log.truncate([Self.partition: Int64(2 * history.journal.count)])
            })
        await expect(code: .changeTokenExpired) { try await changes(racing, after: token) }
    }

    @Test("a journal of which retention took everything goes on with the next entry", arguments: [true, false])
    func emptied(hasToken: Bool) async throws {
        let (before, after, changes) = try split(history)
        let log = try await written(before)
        let end = try await self.changes(log, after: nil).token
        try await log.truncate([Self.partition: Int64(2 * before.count)])
        let empty = try await self.changes(log, after: hasToken ? end : nil)
        #expect(empty.notifications.isEmpty && !empty.moreComing)
        try await append(after, to: log)
        #expect(numbers(try await self.changes(log, after: empty.token)) == changes)
        #expect(numbers(try await self.changes(log, after: nil)) == changes)
    }

    @Test("without topics of devices, the state of delivery has the latest registration of a device")
    func latestRegistration() async throws {
        let log = MemoryLog()
        try await log.requireTopics(Self.layout.fixedTopics)
        let writer = try await log.makeWriter()
        let former = [DeviceState(device: "phone", epoch: 7), DeviceState(device: "phone2", epoch: 99)]
        for (user, devices) in [
            (FeedHistory.user, [DeviceState(device: "phone", epoch: 50)]), (UserRecordName.sample("b"), former),
        ] {
            try await writer.append([
                OutgoingEntry(
                    TopicPartition(Self.layout.deliveryState), key: Self.layout.userKey(user),
                    value: UserState(devices: devices).encoded(), timestamp: LogTimestamp(milliseconds: 1))
            ])
        }
        let feed = LogFeed(log: log, layout: Self.layout, keys: keys)
        #expect(try await feed.identity(of: Self.identity.device) == Self.identity)
        await expect(code: .notFound) { try await feed.identity(of: DeviceID(trusted: "tablet")) }
    }
}

/// A log that has a batch at some offsets, and nothing behind it for any time.
private struct ScriptedLog: ForwardingLog {
    let base: any EventLog
    let batches: [Int64: LogBatch]

    func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        guard let batch = batches[offset] else { return try await base.follow(partition, from: offset) }
        return ScriptedFollower(batch)
    }
}

/// Gives a batch, and then waits until its reader gives up.
private final class ScriptedFollower: LogFollower {
    private let batch: Mutex<LogBatch?>
    /// Gives nothing, until the reading task is cancelled.
    private let rest = AsyncStream<Void>.makeStream()

    init(_ batch: LogBatch) { self.batch = Mutex(batch) }

    func next() async throws -> LogBatch {
        if let batch = batch.withLock({ $0.take() }) { return batch }
        for await _ in rest.stream {}
        throw CancellationError()
    }

    func close() {}
}
