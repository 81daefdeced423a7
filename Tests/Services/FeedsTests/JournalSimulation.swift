import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import Feeds

/// A device that reads its user's journal: writers overlap and repeat, retention takes entries, and the device goes on
/// from any token that it ever had.
struct JournalSimulation: ReadingJournals {
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
    private let process: JournalProcess
    private let hasView: Bool
    /// The next entry of each writer; the first one is the owner.
    private var writers = [0]
    /// The entries that were written at least once.
    private var written = 0
    private var tokens = [Token(place: nil, next: 0)]
    /// The partition as it was appended, trimmed or not; nil for another user's entry.
    private var appended: [FeedEntry?] = []
    private var start = 0

    /// - Parameters:
    ///   - trims: true where retention takes entries. The owner repeats what it wrote then, and no others do.
    ///   - context: what a failure is shown with.
    private init(
        _ history: FeedHistory, _ random: SeededGenerator, trims: Bool, _ process: JournalProcess, _ log: MemoryLog,
        hasView: Bool, context: String
    ) {
        self.history = history
        self.random = random
        self.trims = trims
        self.process = process
        self.log = log
        self.hasView = hasView
        self.context = context
    }

    /// Plays the history of a seed.
    static func play(_ seed: UInt64, trims: Bool, hasView: Bool) async throws {
        var random = SeededGenerator(seed: seed)
        let before = Int.random(in: 0...6, using: &random)
        let history = FeedHistory(random: random, before: before, after: Int.random(in: 0...6, using: &random))
        let log = MemoryLog()
        try await log.requireTopics([layout.journalsSpecification])
        let process = JournalProcess(log, KeyRing.generate(), hasView: hasView)
        let simulation = JournalSimulation(
            history, random, trims: trims, process, log, hasView: hasView, context: "seed \(seed), view \(hasView)")
        try await process.run {
            var simulation = simulation
            try await simulation.run()
        }
    }

    private mutating func run() async throws {
        while written < history.journal.count {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4: try await write(Int.random(in: 0..<writers.count, using: &random))
            case 5: overlap()
            case 6 where trims: try await trim()
            default: try await read()
            }
        }
        for _ in 0..<12 { try await read() }
    }

    // MARK: Writing

    /// The owner begins again before what it has written; or another instance does, beside it.
    private mutating func overlap() {
        if trims {
            writers[0] -= min(writers[0], Int.random(in: 0...3, using: &random))
        } else if writers.count < 4 {
            writers.append(Int.random(in: 0...writers[0], using: &random))
        } else {
            writers.removeSubrange(1...)
        }
    }

    /// Writes a writer's next entry; nobody is ahead of the owner.
    private mutating func write(_ number: Int) async throws {
        let next = writers[number]
        guard next < (number == 0 ? history.journal.count : writers[0]) else { return }
        let others = Int.random(in: 0...2, using: &random)
        try await append([history.journal[next]], to: log, others: others)
        appended.append(history.journal[next])
        appended += [FeedEntry?](repeating: nil, count: others)
        writers[number] += 1
        written = max(written, writers[0])
    }

    private mutating func trim() async throws {
        // A tail that is behind the start begins the view again, and the reader's place is expired.
        if hasView {
            let (tail, end) = (process.tail, Int64(appended.count))
            try await eventually("the view has all") { tail.next(of: Self.partition) == end }
        }
        start = min(appended.count, start + Int.random(in: 0...5, using: &random))
        try await log.truncate([Self.partition: Int64(start)])
    }

    // MARK: Reading

    private mutating func read() async throws {
        var token = tokens[Int.random(in: 0..<tokens.count, using: &random)]
        if token.place == nil { token.lost = trimmed }
        let limit = Bool.random(using: &random) ? Int.max : Int.random(in: 1...4, using: &random)
        let text = token.place.map { process.service.token($0, of: Self.identity) }
        let page: FeedPage
        do {
            let reader = try await process.service.open(Self.identity, at: text)
            page = try await reader.page(limit: limit)
            await reader.close()
        } catch let error as CloudError {
            #expect(error.code == .changeTokenExpired, "\(context): \(error)")
            #expect(isExpired(token.place), "\(context): a token that is still good is refused")
            tokens.removeAll { $0.place == token.place && $0.place != nil }
            return
        }
        #expect(!isExpired(token.place), "\(context): a token that lost something is taken")
        check(page, limit, token)
    }

    /// Exactly the existing entries after the token, up to the limit; none twice, none out of order.
    private mutating func check(_ page: FeedPage, _ limit: Int, _ token: Token) {
        let wanted = history.expected[token.next..<available].filter { !token.lost.contains($0) }
        // A trimmed notification may come all the same, if a repeat of it is still there.
        let changes = page.notifications.map(FeedHistory.change)
        let must = changes.filter { !token.lost.contains($0) }
        #expect(must == Array(wanted.prefix(must.count)), "\(context): changes \(changes), wanted \(wanted)")
        #expect(
            changes.count <= limit && (changes.count == limit || must.count == wanted.count), "\(context): incomplete")
        let order = changes.compactMap { history.expected.firstIndex(of: $0) }
        let isInOrder = zip(order, order.dropFirst()).allSatisfy(<) && (order.first ?? token.next) >= token.next
        guard isInOrder, order.count == changes.count else {
            Issue.record("\(context): out of order: \(changes)")
            return
        }
        if token.lost.isEmpty { #expect(page.moreComing == (wanted.count > changes.count), "\(context): moreComing") }
        for (index, item) in page.items.enumerated() where Int.random(in: 0..<4, using: &random) == 0 {
            tokens.append(Token(place: item.place, next: order[index] + 1, lost: token.lost))
        }
        tokens.append(Token(place: page.place, next: max(token.next, (order.last ?? -1) + 1), lost: token.lost))
        if tokens.count > 12 { tokens.remove(at: Int.random(in: 1..<tokens.count, using: &random)) }
    }

    /// The number of `expected` that can be read now.
    private var available: Int {
        let changes = Set(history.journal.prefix(written).compactMap(FeedHistory.change))
        return history.expected.prefix { changes.contains($0) }.count
    }

    /// The changes that a reading without a token may miss: those whose first occurrence is gone.
    private var trimmed: Set<Int64> {
        var (seen, lost): (Set<Int64>, Set<Int64>) = ([], [])
        for (offset, entry) in appended.enumerated() {
            guard let entry, let change = FeedHistory.change(entry), seen.insert(change).inserted, offset < start else {
                continue
            }
            lost.insert(change)
        }
        return lost
    }

    private func isExpired(_ place: FeedPosition?) -> Bool { place.map { $0.position.offset < Int64(start) } ?? false }
}
