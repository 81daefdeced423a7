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

/// Ends, absences and old states that a broker reports are hints: they cost a reader time, never a notification.
@Suite struct HintTests {
    private let history = FeedHistory(random: SeededGenerator(seed: 9), before: 8, after: 6)

    private func page(
        _ log: any EventLog, from place: FeedPosition? = nil, limit: Int = .max
    ) async throws -> FeedPage {
        try await FeedReader(log: log, layout: FeedHistory.layout, identity: FeedHistory.identity, from: place).page(
            limit: limit)
    }

    private func changes(_ page: FeedPage) -> [Int64] { page.notifications.map(FeedHistory.change) }

    @Test("a stale end of the journal from a former leader costs no history", arguments: [0, 1, 3, 5])
    func oldEnds(of kept: Int64) async throws {
        let memory = try await history.written()
        let log = BentLog(memory) { bounds in
            guard let journal = bounds[FeedHistory.journalTopic] else { return bounds }
            return [FeedHistory.journalTopic: OffsetBounds(start: 0, end: min(kept, journal.end))]
        } follow: { partition, follower in
            partition == FeedHistory.journalTopic ? ShortFollower(base: follower, end: kept) : follower
        }
        await expect(code: .tryAgainLater) { try await page(log) }
        #expect(changes(try await page(memory)) == history.expected)
        // A page that is full before that end is good, and so is its token.
        let first = history.journal[..<Int(kept)].lazy.compactMap(FeedHistory.change).first
        guard let first, history.expected.first == first else { return }
        let start = try await page(log, limit: 1)
        #expect(start.moreComing)
        #expect(changes(start) + changes(try await page(memory, from: start.place)) == history.expected)
    }

    @Test("a journal that seems absent is asked for again", arguments: [true, false])
    func absentJournal(hasToken: Bool) async throws {
        let memory = try await history.written()
        let place = hasToken ? try await page(memory, limit: 1).place : nil
        let log = BentLog(memory) { bounds in
            guard bounds[FeedHistory.journalTopic] == nil else { throw LogError.unknownTopic("for a moment") }
            return bounds
        }
        await expect(code: .tryAgainLater) { try await page(log, from: place) }
        // A reader past the journal does not need it.
        let end = try await page(memory)
        #expect(changes(try await page(log, from: end.place)).isEmpty)
    }

    @Test("an old end that a token is ahead of is asked for again, not taken for a loss")
    func tokensAheadOfAnOldEnd() async throws {
        let memory = try await history.written()
        let end = try await page(memory)
        let answers = Atomic(2)
        let log = BentLog(memory) { bounds in
            guard bounds[FeedHistory.feedTopic] != nil, answers.load(ordering: .relaxed) > 0 else { return bounds }
            answers.subtract(1, ordering: .relaxed)
            return [FeedHistory.feedTopic: OffsetBounds(start: 0, end: 2)]
        }
        #expect(changes(try await page(log, from: end.place)).isEmpty)
    }

    @Test("a token ahead of a restored log is expired, before and after the log has grown past it")
    func restoredLogs() async throws {
        let place = try await page(history.written()).place
        let restored = MemoryLog()
        _ = try await restored.createTopics([
            FeedHistory.layout.journalSpecification(FeedHistory.user),
            FeedHistory.layout.feedSpecification(FeedHistory.identity.device, FeedHistory.identity.epoch),
        ])
        let log = BentLog(restored, identity: place.log)
        let writer = try await restored.makeWriter()
        try await writer.append(history.journal.map { FeedHistory.outgoing($0, to: FeedHistory.journalTopic) })
        let cut = 2
        try await writer.append(history.feed.prefix(cut).map { FeedHistory.outgoing($0, to: FeedHistory.feedTopic) })
        await expect(code: .changeTokenExpired) { try await page(log, from: place) }
        // Other things happen than the first time, under the names that those had which were lost.
        let others = history.feed.dropFirst(cut).map { entry in
            var entry = entry
            entry.time += 1
            return entry
        }
        try await writer.append(others.map { FeedHistory.outgoing($0, to: FeedHistory.feedTopic) })
        await expect(code: .changeTokenExpired) { try await page(log, from: place) }
        #expect(changes(try await page(log)) == history.expected)
    }

    @Test("a token of another cluster is expired and says so")
    func otherClusters() async throws {
        let place = try await page(history.written(), limit: 3).place
        let error = await #expect(throws: CloudError.self) { try await page(history.written(), from: place) }
        #expect(error?.code == .changeTokenExpired && error?.reason.contains("cluster") == true, "\(error as Any)")
        #expect(error?.gap?.from == place.time && error?.gap?.entries == nil)
        // One of before, which names none, is taken.
        var earlier = place
        earlier.log = ""
        #expect(changes(try await page(history.written(), from: earlier)).count == history.expected.count - 3)
    }

    @Test("a gap at the boundary of pages is the next page's error, on a stream as well")
    func gapsBehindAPage() async throws {
        var tried = 0
        for cut in 2..<history.feed.count - 1 {
            var entries = history.feed
            let gone = entries.remove(at: cut)
            let changes = entries[..<cut].compactMap { FeedHistory.change($0) }.count + history.expectedBefore
            guard FeedHistory.change(gone) != nil, changes > 0 else { continue }
            tried += 1
            let log = MemoryLog()
            _ = try await log.createTopics([
                FeedHistory.layout.journalSpecification(FeedHistory.user),
                FeedHistory.layout.feedSpecification(FeedHistory.identity.device, FeedHistory.identity.epoch),
            ])
            let writer = try await log.makeWriter()
            try await writer.append(history.journal.map { FeedHistory.outgoing($0, to: FeedHistory.journalTopic) })
            try await writer.append(entries.map { FeedHistory.outgoing($0, to: FeedHistory.feedTopic) })
            let reader = try await FeedReader(
                log: log, layout: FeedHistory.layout, identity: FeedHistory.identity, from: nil)
            let first = try await reader.next(limit: changes)
            #expect(first.notifications.map(FeedHistory.change) == Array(history.expected.prefix(changes)))
            #expect(first.moreComing)
            for _ in 0..<2 {
                await expect(code: .internalError) {
                    try await within { try await reader.next(limit: .max) }
                }
            }
            await reader.close()
            await expect(code: .internalError) { try await page(log, from: first.place) }
        }
        #expect(tried > 0)
    }

    @Test("a topic that was lost and made again goes on as one whose beginning was trimmed")
    func topicsMadeAgain() async throws {
        let log = MemoryLog()
        _ = try await log.createTopics([
            FeedHistory.layout.journalSpecification(FeedHistory.user),
            FeedHistory.layout.feedSpecification(FeedHistory.identity.device, FeedHistory.identity.epoch),
        ])
        let writer = try await log.makeWriter()
        let rest = history.feed.dropFirst(3)
        try await writer.append(
            history.journal.dropFirst(history.journalBefore + 3).map {
                FeedHistory.outgoing($0, to: FeedHistory.journalTopic)
            })
        try await writer.append(rest.map { FeedHistory.outgoing($0, to: FeedHistory.feedTopic) })
        #expect(changes(try await page(log)) == rest.compactMap(FeedHistory.change))
        let earlier = try await page(history.written(), limit: history.expectedBefore + 1).place
        let known = BentLog(log, identity: earlier.log)
        await expect(code: .changeTokenExpired) { try await page(known, from: earlier) }
    }

    @Test("a feed that was made again under the name of the journal's last entry gives all that both have")
    func madeAgainWithinAnEntry() async throws {
        let log = MemoryLog()
        _ = try await log.createTopics([
            FeedHistory.layout.journalSpecification(FeedHistory.user),
            FeedHistory.layout.feedSpecification(FeedHistory.identity.device, FeedHistory.identity.epoch),
        ])
        let last = history.journal[history.journalBefore - 1].source
        var feed = history.feed
        guard case .registered(var mark)? = feed[0].entry else {
            Issue.record("no registration: \(feed[0])")
            return
        }
        mark.journal = last
        feed[0].source = last
        feed[0].entry = .registered(mark)
        feed[1].predecessor = last
        let writer = try await log.makeWriter()
        try await writer.append(history.journal.map { FeedHistory.outgoing($0, to: FeedHistory.journalTopic) })
        try await writer.append(feed.map { FeedHistory.outgoing($0, to: FeedHistory.feedTopic) })
        #expect(changes(try await page(log)) == history.expected)
        for limit in 1...3 {
            let start = try await page(log, limit: limit)
            #expect(changes(start) + changes(try await page(log, from: start.place)) == history.expected)
        }
    }

    @Test("the gap of an expired token is exact: its times, and the number of entries", arguments: [1, 4])
    func gaps(count: Int) async throws {
        let log = try await history.written()
        let start = try await page(log, limit: history.expectedBefore + 1)
        let stands = start.place.position.offset
        #expect(start.place.part == .feed)
        try await log.truncate([FeedHistory.feedTopic: stands + Int64(count)])
        let error = await #expect(throws: CloudError.self) { try await page(log, from: start.place) }
        let expected = TokenGap(
            from: Timestamp(milliseconds: history.feed[Int(stands) - 1].time),
            until: history.feed.count > Int(stands) + count
                ? Timestamp(milliseconds: history.feed[Int(stands) + count].time) : nil, entries: Int64(count))
        #expect(error?.gap == expected)
        // In the journal, as long as the feed's head is there.
        let whole = try await history.written()
        let inJournal = try await page(whole, limit: 1).place
        let gone = Int64(history.journalBefore) - inJournal.position.offset - 1
        try await whole.truncate([FeedHistory.journalTopic: inJournal.position.offset + gone])
        let second = await #expect(throws: CloudError.self) { try await page(whole, from: inJournal) }
        #expect(second?.gap?.entries == gone && second?.gap?.from == inJournal.time)
        try await whole.truncate([FeedHistory.journalTopic: Int64(history.journalBefore) + 1])
        let third = await #expect(throws: CloudError.self) { try await page(whole, from: inJournal) }
        #expect(third?.gap?.entries == nil)
        #expect(third?.gap?.until == Timestamp(milliseconds: history.feed[0].time))
    }
}

/// A log that changes the answers of brokers.
private final class BentLog: ForwardingLog {
    typealias Follow = @Sendable (_ partition: TopicPartition, _ follower: any LogFollower) -> any LogFollower

    let base: any EventLog
    private let name: String?
    private let bend: @Sendable ([TopicPartition: OffsetBounds]) throws -> [TopicPartition: OffsetBounds]
    private let bendFollower: Follow

    init(
        _ base: any EventLog, identity: String? = nil,
        bounds: @escaping @Sendable ([TopicPartition: OffsetBounds]) throws -> [TopicPartition: OffsetBounds] = { $0 },
        follow: @escaping Follow = { $1 }
    ) {
        self.base = base
        name = identity
        bend = bounds
        bendFollower = follow
    }

    func identity() async throws -> String {
        if let name { return name }
        return try await base.identity()
    }

    func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        try bend(try await base.bounds(of: partitions))
    }

    func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        bendFollower(partition, try await base.follow(partition, from: offset))
    }
}

/// Reads what a leader that is none any more still has.
private struct ShortFollower: LogFollower {
    let base: any LogFollower
    let end: Int64

    func next() async throws -> LogBatch {
        let batch = try await base.next()
        return LogBatch(
            entries: batch.entries.filter { $0.offset < end }, nextOffset: min(end, batch.nextOffset), isAtEnd: true)
    }

    func close() { base.close() }
}
