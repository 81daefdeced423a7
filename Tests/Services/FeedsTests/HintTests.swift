import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import Synchronization
import TestSupport
import Testing

@testable import Feeds

/// Ends, absences and old states that a broker reports are hints: they cost a reader time, never a notification.
@Suite struct HintTests: ReadingJournals {
    private let history = FeedHistory(random: SeededGenerator(seed: 9), before: 8, after: 6)

    private func page(
        _ log: any EventLog, from place: FeedPosition? = nil, limit: Int = .max
    ) async throws -> FeedPage {
        try await reader(log, from: place).page(limit: limit)
    }

    private func changes(_ page: FeedPage) -> [Int64] { page.notifications.map(FeedHistory.change) }

    @Test("a stale end from a former leader ends a page too early, and the next one goes on", arguments: [0, 1, 3, 5])
    func oldEnds(of kept: Int64) async throws {
        let memory = try await written(history.journal)
        let log = BentLog(memory) { bounds in
            guard let journals = bounds[Self.partition] else { return bounds }
            return [Self.partition: OffsetBounds(start: 0, end: min(kept, journals.end))]
        } follow: { partition, follower in
            partition == Self.partition ? ShortFollower(base: follower, end: kept) : follower
        }
        let start = try await page(log)
        #expect(!start.moreComing && start.place.position.offset <= kept)
        #expect(changes(start) + changes(try await page(memory, from: start.place)) == history.expected)
    }

    @Test("journals that seem absent are asked for again", arguments: [true, false])
    func absentJournals(hasToken: Bool) async throws {
        let memory = try await written(history.journal)
        let place = hasToken ? try await page(memory, limit: 1).place : nil
        let log = BentLog(memory) { _ in throw LogError.unknownTopic("for a moment") }
        await expect(code: .tryAgainLater) { try await page(log, from: place) }
    }

    @Test("an old end that a token is ahead of is asked for again, not taken for a loss")
    func tokensAheadOfAnOldEnd() async throws {
        let memory = try await written(history.journal)
        let end = try await page(memory)
        let answers = Atomic(2)
        let log = BentLog(memory) { bounds in
            guard answers.load(ordering: .relaxed) > 0 else { return bounds }
            answers.subtract(1, ordering: .relaxed)
            return [Self.partition: OffsetBounds(start: 0, end: 2)]
        }
        #expect(changes(try await page(log, from: end.place)).isEmpty)
    }

    @Test("a token ahead of a restored log is expired, before and after the log has grown past it")
    func restoredLogs() async throws {
        let place = try await page(written(history.journal)).place
        let cut = history.journalBefore + 2
        let restored = try await written(history.journal.prefix(cut))
        let log = BentLog(restored, identity: place.log)
        await expect(code: .changeTokenExpired) { try await page(log, from: place) }
        // Other things happen than the first time, under the names that those had which were lost.
        let others = history.journal.dropFirst(cut).map { entry in
            var entry = entry
            entry.time += 1
            return entry
        }
        try await append(others, to: restored)
        await expect(code: .changeTokenExpired) { try await page(log, from: place) }
        #expect(changes(try await page(log)) == history.expected)
    }

    @Test("a token of another cluster is expired and says so")
    func otherClusters() async throws {
        let place = try await page(written(history.journal), limit: 3).place
        let error = await #expect(throws: CloudError.self) { try await page(written(history.journal), from: place) }
        #expect(error?.code == .changeTokenExpired && error?.reason.contains("cluster") == true, "\(error as Any)")
        #expect(error?.gap?.from == place.time && error?.gap?.entries == nil)
        // One of before, which names none, is taken.
        var earlier = place
        earlier.log = ""
        #expect(changes(try await page(written(history.journal), from: earlier)).count == history.expected.count - 3)
    }

    @Test("a gap at the boundary of pages is the next page's error, on a stream as well")
    func gapsBehindAPage() async throws {
        var tried = 0
        for cut in 1..<history.journal.count - 1 {
            var entries = history.journal
            entries.remove(at: cut)
            let count = entries[..<cut].compactMap(FeedHistory.change).filter(history.expected.contains).count
            guard count > 0 else { continue }
            tried += 1
            let log = try await written(entries)
            let reader = try await reader(log)
            let first = try await reader.next(limit: count)
            #expect(changes(first) == Array(history.expected.prefix(count)))
            #expect(first.moreComing)
            for _ in 0..<2 {
                let error = await #expect(throws: CloudError.self) {
                    try await within { try await reader.next(limit: .max) }
                }
                #expect(error?.code == .internalError && error?.reason.contains("missing") == true)
            }
            await reader.close()
            await expect(code: .internalError) { try await page(log, from: first.place) }
        }
        #expect(tried > 0)
    }

    @Test("journals that were lost and made again go on as those whose beginning was trimmed")
    func topicsMadeAgain() async throws {
        let rest = history.journal.dropFirst(history.journalBefore + 3)
        let log = try await written(rest)
        #expect(changes(try await page(log)) == rest.compactMap(FeedHistory.change).filter(history.expected.contains))
        let earlier = try await page(written(history.journal), limit: history.expectedBefore + 1).place
        let known = BentLog(log, identity: earlier.log)
        await expect(code: .changeTokenExpired) { try await page(known, from: earlier) }
    }

    @Test("the gap of an expired token has its times, and no number: others' entries lie between", arguments: [1, 4])
    func gaps(count: Int) async throws {
        let log = try await written(history.journal)
        let place = try await page(log, limit: 2).place
        let looked = try #require(place.looked)
        let last = Int(looked) / 2
        let next = last + 1 + count
        try await log.truncate([Self.partition: Int64(2 * next)])
        let error = await #expect(throws: CloudError.self) { try await page(log, from: place) }
        let gap = TokenGap(
            from: Timestamp(milliseconds: history.journal[last].time),
            until: Timestamp(milliseconds: history.journal[next].time), entries: nil)
        #expect(error?.code == .changeTokenExpired && error?.gap == gap)
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
