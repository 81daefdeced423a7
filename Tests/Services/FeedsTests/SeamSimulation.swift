import CloudMessages
import CloudModel
import EventLog
import Feeds
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

/// A device that reads its feed, as `models/seam.pml` has it: writers that overlap and repeat, retention, and a reader
/// that goes on from any token it ever had.
struct SeamSimulation {
    private struct Writer {
        var journal: Int
        var feed: Int
    }

    /// The position at a page's end, and the notifications before it.
    private struct Token {
        var place: FeedPosition?
        /// The index in `expected` after the last notification.
        var next: Int
        /// The entries that were trimmed when reading started without a token: they may be missing.
        var lost: Set<Int64> = []
    }

    private let history: FeedHistory
    private let context: String
    private let trims: Bool
    private var random: SeededGenerator
    private let log: MemoryLog
    /// The process's part in reading; nil for readers that look at everything first.
    private let reading: FeedReading?
    private let out: any LogWriter
    private var writers = [Writer(journal: 0, feed: 0)]
    private var tokens = [Token(place: nil, next: 0)]
    /// The entries of both topics as they were appended, trimmed or not.
    private var journal: [FeedEntry] = []
    private var feed: [FeedEntry] = []
    private var journalStart = 0
    private var feedStart = 0

    init(history: FeedHistory, random: SeededGenerator, trims: Bool, sharing: Bool, context: String) async throws {
        log = MemoryLog()
        reading = sharing ? FeedReading(log) : nil
        self.history = history
        self.random = random
        self.trims = trims
        self.context = context
        out = try await log.makeWriter()
        _ = try await log.createTopics([
            FeedHistory.layout.journalSpecification(FeedHistory.user),
            FeedHistory.layout.feedSpecification(FeedHistory.identity.device, FeedHistory.identity.epoch),
        ])
    }

    mutating func run() async throws {
        while writers[0].journal < history.journal.count || writers[0].feed < history.feed.count {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4: try await write(Int.random(in: 0..<writers.count, using: &random))
            case 5: startZombie()
            case 6 where trims: try await trim()
            default: try await read()
            }
        }
        for _ in 0..<12 { try await read() }
    }

    // MARK: Writing

    /// Another instance begins at a position whose outputs are all there.
    private mutating func startZombie() {
        guard writers.count < 4 else { return writers.removeSubrange(1...) }
        let written = min(
            Self.position(history.journal, writers[0].journal), Self.position(history.feed, writers[0].feed))
        let from = Int64.random(in: 0...max(0, min(written, 1 << 20)), using: &random)
        writers.append(
            Writer(
                journal: history.journal.firstIndex { $0.source!.offset >= from } ?? history.journal.count,
                feed: history.feed.firstIndex { $0.source!.offset >= from } ?? history.feed.count))
    }

    /// The input that the entry at an index was made from.
    private static func position(_ entries: [FeedEntry], _ index: Int) -> Int64 {
        index < entries.count ? entries[index].source!.offset : .max
    }

    private mutating func write(_ number: Int) async throws {
        let writer = writers[number]
        // The registration follows its journal entries' acknowledgement; nobody is ahead of the owner.
        let mayFeed =
            writer.feed < history.feed.count && (writer.feed > 0 || writer.journal >= history.journalBefore)
            && (number == 0 || writer.feed < writers[0].feed)
        let mayJournal =
            writer.journal < history.journal.count && (number == 0 || writer.journal < writers[0].journal)
        if mayFeed && (!mayJournal || Bool.random(using: &random)) {
            try await out.append([FeedHistory.outgoing(history.feed[writer.feed], to: FeedHistory.feedTopic)])
            feed.append(history.feed[writer.feed])
            writers[number].feed += 1
        } else if mayJournal {
            try await out.append([
                FeedHistory.outgoing(history.journal[writer.journal], to: FeedHistory.journalTopic)
            ])
            journal.append(history.journal[writer.journal])
            writers[number].journal += 1
        }
    }

    private mutating func trim() async throws {
        if Bool.random(using: &random) {
            journalStart = min(journal.count, journalStart + Int.random(in: 0...3, using: &random))
            try await log.truncate([FeedHistory.journalTopic: Int64(journalStart)])
        } else if Int.random(in: 0..<3, using: &random) == 0 {
            feedStart = min(feed.count, feedStart + Int.random(in: 0...3, using: &random))
            try await log.truncate([FeedHistory.feedTopic: Int64(feedStart)])
        }
    }

    // MARK: Reading

    private mutating func read() async throws {
        // Requests wait until delivery has applied the registration, so that a feed is never read before its first
        // entry.
        guard !feed.isEmpty else { return }
        var token = tokens.randomElement(using: &random)!
        if token.place == nil { token.lost = trimmed() }
        let limit = Bool.random(using: &random) ? Int.max : Int.random(in: 1...4, using: &random)
        let page: FeedPage
        do {
            let reader = try await FeedReader(
                log: log, layout: FeedHistory.layout, identity: FeedHistory.identity, from: token.place,
                reading: reading)
            page = try await reader.page(limit: limit)
            await reader.close()
        } catch let error as CloudError where error.code == .tryAgainLater {
            #expect(isUndecided(token.place), "\(context): \(error)")
            return
        } catch let error as CloudError {
            #expect(error.code == .changeTokenExpired, "\(context): \(error)")
            #expect(isExpired(token.place), "\(context): a token that is still good is refused")
            tokens.removeAll { $0.place == token.place && $0.place != nil }
            return
        }
        #expect(!isExpired(token.place), "\(context): a token that lost something is taken")
        #expect(!isUndecided(token.place), "\(context): the journal's last entry is neither there nor known to be gone")
        check(page, limit, &token)
    }

    /// Exactly the existing entries after the token, up to the limit; none twice, none out of order.
    private mutating func check(_ page: FeedPage, _ limit: Int, _ token: inout Token) {
        let wanted = history.expected[token.next..<available()].filter { !token.lost.contains($0) }
        // A trimmed notification may come all the same, if a repeat of it is still there.
        let changes = page.notifications.map(FeedHistory.change)
        let must = changes.filter { !token.lost.contains($0) }
        #expect(must == Array(wanted.prefix(must.count)), "\(context): changes \(changes), wanted \(wanted)")
        #expect(
            changes.count <= limit && (changes.count == limit || must.count == wanted.count), "\(context): incomplete")
        let order = changes.compactMap { history.expected.firstIndex(of: $0) }
        #expect(zip(order, order.dropFirst()).allSatisfy(<), "\(context): out of order: \(changes)")
        #expect(order.count == changes.count && (order.first ?? token.next) >= token.next, "\(context): \(changes)")
        if token.lost.isEmpty { #expect(page.moreComing == (wanted.count > changes.count), "\(context): moreComing") }
        token.next = max(token.next, (order.last ?? -1) + 1)
        for (index, item) in page.items.enumerated() where Int.random(in: 0..<4, using: &random) == 0 {
            tokens.append(Token(place: item.place, next: order[index] + 1, lost: token.lost))
        }
        tokens.append(Token(place: page.place, next: token.next, lost: token.lost))
        if tokens.count > 12 { tokens.remove(at: Int.random(in: 1..<tokens.count, using: &random)) }
    }

    /// The number of `expected` that can be read now: all before the registration, and the entries of the feed.
    private func available() -> Int {
        let inFeed = Set(feed.compactMap(FeedHistory.change))
        return history.expectedBefore + history.expected[history.expectedBefore...].prefix { inFeed.contains($0) }.count
    }

    /// What a reading without a token may miss: that whose first occurrence is gone.
    private func trimmed() -> Set<Int64> {
        let before = Set(history.expected.prefix(history.expectedBefore))
        let isWhole = feedStart == 0
        var kept: Set<Int64> = []
        var seen: Set<Int64> = []
        for (offset, entry) in feed.enumerated() {
            guard let changes = FeedHistory.change(entry), seen.insert(changes).inserted else { continue }
            if offset >= feedStart { kept.insert(changes) }
        }
        if isWhole {
            seen = []
            for (offset, entry) in journal.enumerated() {
                guard let changes = FeedHistory.change(entry), seen.insert(changes).inserted, before.contains(changes)
                else {
                    continue
                }
                if offset >= journalStart { kept.insert(changes) }
            }
        }
        // Entries that are not written yet will come.
        let written = Set(history.expected.prefix(available()))
        return written.subtracting(kept)
    }

    /// Returns true where retention has left only repeats in the journal: nothing in it says whether the entry before
    /// the registration was trimmed or is still to come.
    private func isUndecided(_ place: FeedPosition?) -> Bool {
        guard feedStart == 0, place?.part != .feed, history.journalBefore > 0, journalStart < journal.count else {
            return false
        }
        let last = history.journal[history.journalBefore - 1].source!.position
        if let seen = place?.position.seen[last.source], !last.isAbove(seen) { return false }
        let from = max(journalStart, Int(place?.position.offset ?? 0))
        return journal[from...].allSatisfy { last.isAbove($0.source!.position) }
    }

    private func isExpired(_ place: FeedPosition?) -> Bool {
        guard let place else { return false }
        switch place.part {
        case .journal, .shared: return feedStart > 0 || place.position.offset < Int64(journalStart)
        case .feed, .topic: return place.position.offset < Int64(feedStart)
        }
    }
}
