import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import Feeds

/// From the journal into the device's own topic (docs/delivery.md#change-tokens).
@Suite struct SeamTests {
    @Test(arguments: 1...150, [false, true])
    func everyTokenGoesOnExactlyWhereItStands(seed: UInt64, sharing: Bool) async throws {
        try await simulate(seed, trims: false, sharing: sharing)
    }

    @Test(arguments: 1000...1200, [false, true])
    func retentionExpiresTokensAndLosesNothingElse(seed: UInt64, sharing: Bool) async throws {
        try await simulate(seed, trims: true, sharing: sharing)
    }

    private func simulate(_ seed: UInt64, trims: Bool, sharing: Bool) async throws {
        try await within("seed \(seed), sharing \(sharing)") {
            var random = SeededGenerator(seed: seed)
            let before = Int.random(in: 0...6, using: &random)
            let history = FeedHistory(random: random, before: before, after: Int.random(in: 0...6, using: &random))
            var simulation = try await SeamSimulation(
                history: history, random: random, trims: trims, sharing: sharing,
                context: "seed \(seed), sharing \(sharing)")
            try await simulation.run()
        }
    }

    /// Page sizes do not show: any of them gives what one large page gives, with `moreComing` up to the last.
    @Test(arguments: 1...12)
    func pagesOfAnySizeGiveTheSame(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let history = FeedHistory(random: random, before: Int.random(in: 0...8, using: &random), after: 6)
        let log = try await history.written()
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
        func open(_ place: FeedPosition?) async throws -> FeedReader {
            try await FeedReader(
                log: log, layout: FeedHistory.layout, identity: FeedHistory.identity, from: place, reading: reading)
        }
        var reader = try await open(nil)
        var changes: [Int64] = []
        while true {
            let page = try await reader.page(limit: limit)
            changes += page.notifications.map(FeedHistory.change)
            #expect(page.moreComing == (changes.count < history.expected.count))
            #expect(page.items.count == limit || !page.moreComing)
            guard page.moreComing else { return changes }
            if reopens { reader = try await open(page.place) }
        }
    }

    /// A missing entry is an error, never silent.
    @Test(arguments: [true, false])
    func aGapIsAnError(inJournal: Bool) async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 5), before: 6, after: 6)
        let log = MemoryLog()
        _ = try await log.createTopics([
            FeedHistory.layout.journalSpecification(FeedHistory.user),
            FeedHistory.layout.feedSpecification(FeedHistory.identity.device, FeedHistory.identity.epoch),
        ])
        let writer = try await log.makeWriter()
        for (list, topic, isCut) in [
            (history.journal, FeedHistory.journalTopic, inJournal), (history.feed, FeedHistory.feedTopic, !inJournal),
        ] {
            var entries = list
            if isCut { entries.remove(at: 3) }
            try await writer.append(entries.map { FeedHistory.outgoing($0, to: topic) })
        }
        let reader = try await FeedReader(
            log: log, layout: FeedHistory.layout, identity: FeedHistory.identity, from: nil)
        let failure = await #expect(throws: CloudError.self) { try await reader.page(limit: .max) }
        #expect(failure?.code == .internalError)
        #expect(failure?.reason.contains("missing") == true)
    }

    /// Everything may be trimmed before the next entry; that entry has to reach a reader whose token is at an empty
    /// topic's end.
    @Test(arguments: [true, false])
    func anEmptyFeedThatGoesOnIsNoGap(isInJournal: Bool) async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 5), before: 4, after: 8)
        let log = MemoryLog()
        _ = try await log.createTopics([
            FeedHistory.layout.journalSpecification(FeedHistory.user),
            FeedHistory.layout.feedSpecification(FeedHistory.identity.device, FeedHistory.identity.epoch),
        ])
        let writer = try await log.makeWriter()
        let first = isInJournal ? 1 : 5
        try await writer.append(history.journal.map { FeedHistory.outgoing($0, to: FeedHistory.journalTopic) })
        try await writer.append(
            history.feed.prefix(first).map { FeedHistory.outgoing($0, to: FeedHistory.feedTopic) })
        try await log.truncate([
            FeedHistory.journalTopic: Int64(history.journal.count),
            FeedHistory.feedTopic: isInJournal ? 0 : Int64(first),
        ])
        func page(_ place: FeedPosition?) async throws -> FeedPage {
            try await FeedReader(log: log, layout: FeedHistory.layout, identity: FeedHistory.identity, from: place)
                .page(limit: .max)
        }
        let empty = try await page(nil)
        #expect(empty.items.isEmpty && !empty.moreComing)
        try await writer.append(
            history.feed.dropFirst(first).map { FeedHistory.outgoing($0, to: FeedHistory.feedTopic) })
        let changes = try await page(empty.place).notifications.map(FeedHistory.change)
        #expect(changes == history.feed.dropFirst(first).compactMap(FeedHistory.change))
        #expect(try await page(nil).notifications.map(FeedHistory.change) == changes)
    }

    /// A trimmed head may start with repeats of trimmed entries, without the entries that followed them: only the head
    /// of a trimmed topic read from nil may be ragged, and it may.
    @Test func aTrimmedHeadMayBeRagged() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 9), before: 8, after: 2)
        let all = history.journal
        let log = MemoryLog()
        _ = try await log.createTopics([
            FeedHistory.layout.journalSpecification(FeedHistory.user),
            FeedHistory.layout.feedSpecification(FeedHistory.identity.device, FeedHistory.identity.epoch),
        ])
        let writer = try await log.makeWriter()
        // The owner wrote five, a zombie repeats the first two, the owner goes on; retention takes the owner's five.
        try await writer.append(
            (all.prefix(5) + all.prefix(2) + all.dropFirst(5)).map {
                FeedHistory.outgoing($0, to: FeedHistory.journalTopic)
            })
        try await writer.append(history.feed.map { FeedHistory.outgoing($0, to: FeedHistory.feedTopic) })
        try await log.truncate([FeedHistory.journalTopic: 5])
        var place: FeedPosition?
        var changes: [Int64] = []
        while true {
            let page = try await FeedReader(
                log: log, layout: FeedHistory.layout, identity: FeedHistory.identity, from: place
            ).page(limit: 1)
            changes += page.notifications.map(FeedHistory.change)
            place = page.place
            guard page.moreComing else { break }
        }
        let lost = Set(all[2..<5].compactMap(FeedHistory.change))
        #expect(changes == history.expected.filter { !lost.contains($0) })
    }
}
