import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import Feeds

/// Readers of the topic that stage 3 makes of the journal for a device.
@Suite struct DeviceTopicTests: ReadingJournals {
    private static let topics = TopicLayout(FeedHistory.scope, partitions: 1, feedTopics: true)
    private static let topic = TopicPartition(topics.feed(FeedHistory.identity.device, FeedHistory.identity.epoch))
    private let keys = KeyRing.generate()

    private func feed(_ log: any EventLog) -> LogFeed { LogFeed(log: log, layout: Self.topics, keys: keys) }

    /// The entries of the journal that concern the device, each naming the one before it.
    private func entries(_ history: FeedHistory) -> [FeedEntry] {
        var entries: [FeedEntry] = []
        for var entry in history.journal {
            var isRegistration = false
            if case .registered = entry.entry { isRegistration = true }
            guard isRegistration || FeedHistory.change(entry).map(history.expected.contains) == true else { continue }
            entry.predecessor = entries.last?.source
            entries.append(entry)
        }
        return entries
    }

    private func write(_ entries: some Sequence<FeedEntry>, to log: MemoryLog) async throws {
        _ = try await log.createTopics([
            Self.topics.feedSpecification(FeedHistory.identity.device, FeedHistory.identity.epoch)
        ])
        try await log.makeWriter().append(entries.map { FeedHistory.outgoing($0, to: Self.topic) })
    }

    @Test("every entry comes once and in order, with any repeats, and each token gives the entries after it")
    func reading() async throws {
        let seed = TestSeeds.first
        for round in 0..<40 as Range<UInt64> {
            var random = SeededGenerator(seed: seed &+ round)
            let history = FeedHistory(random: random, before: Int.random(in: 0...6, using: &random), after: 6)
            let (log, entries) = (MemoryLog(), entries(history))
            var written = 0
            while written < entries.count {
                let first = max(0, written - Int.random(in: 0...3, using: &random))
                let end = min(entries.count, written + Int.random(in: 1...4, using: &random))
                try await write(entries[first..<end], to: log)
                written = end
            }
            let feed = feed(log)
            #expect(try await feed.identity(of: FeedHistory.identity.device) == FeedHistory.identity)
            let limit = Int.random(in: 1...5, using: &random)
            let (changes, tokens) = try await readAll(feed.service, limit: limit)
            #expect(changes == history.expected, "seed \(seed &+ round)")
            for (number, token) in tokens.enumerated() {
                let rest = try await readAll(feed.service, after: token).changes
                #expect(rest == Array(changes.dropFirst((number + 1) * limit)), "seed \(seed &+ round)")
            }
        }
    }

    @Test("a token of the topic and one of the feed over HTTP are refused by each other's reader, with the reason")
    func kinds() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 5), before: 4, after: 4)
        let log = try await emptyLog()
        try await append(history.journal, to: log)
        try await write(entries(history), to: log)
        let process = JournalProcess(log, keys, hasView: false)
        let onTopic = try #require(try await readAll(feed(log).service, limit: 2).tokens.first)
        let overHTTP = try #require(try await readAll(process.service, limit: 2).tokens.first)
        for (service, token, reason) in [
            (process.service, onTopic, "of the device's topic"), (feed(log).service, overHTTP, "of the feed over HTTP"),
        ] {
            let error = await #expect(throws: CloudError.self) { _ = try await readAll(service, after: token) }
            #expect(
                error?.code == .badRequest && error?.reason.contains(reason) == true, "\(String(describing: error))")
        }
        // Operators may look at both.
        let standing = try await process.service.standing(of: onTopic)
        #expect(standing.notificationsBehind == history.expected.count - 2 && standing.refusal == nil)
    }

    @Test("a gap is an error, and a token that retention has overtaken expires with the number of lost entries")
    func losses() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 6), before: 5, after: 5)
        let (log, entries) = (MemoryLog(), entries(history))
        try await write(entries, to: log)
        let first = try #require(try await readAll(feed(log).service, limit: 1).tokens.first)
        let seen = try #require(
            entries.firstIndex { FeedHistory.change($0).map(history.expected.contains) == true })
        try await log.truncate([Self.topic: 4])
        let expired = await #expect(throws: CloudError.self) { _ = try await readAll(feed(log).service, after: first) }
        let gap = TokenGap(
            from: Timestamp(milliseconds: entries[seen].time), until: Timestamp(milliseconds: entries[4].time),
            entries: Int64(4 - seen - 1))
        #expect(expired?.code == .changeTokenExpired && expired?.gap == gap)
        let kept = entries.dropFirst(4).compactMap(FeedHistory.change)
        #expect(try await readAll(feed(log).service).changes == kept)

        let torn = MemoryLog()
        try await write(entries[..<2] + entries[3...], to: torn)
        let missing = await #expect(throws: CloudError.self) { _ = try await readAll(feed(torn).service) }
        #expect(missing?.code == .internalError)
    }
    @Test("the log has the latest registration with a topic, and the user of its entries")
    func latest() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 7), before: 4, after: 4)
        let log = MemoryLog()
        try await write(entries(history), to: log)
        for (device, epoch) in [("phone", 7), ("phone2", 99), ("xphone", 98)] {
            _ = try await log.createTopics([
                Self.topics.feedSpecification(DeviceID(trusted: device), DeviceEpoch(Int64(epoch)))
            ])
        }
        let (feed, phone) = (feed(log), FeedHistory.identity.device)
        #expect(try await feed.identity(of: phone) == FeedHistory.identity)
        await expect(code: .notFound) { try await feed.identity(of: DeviceID(trusted: "tablet")) }
        await expect(code: .notFound) { try await feed.identity(of: DeviceID(trusted: "phone2")) }
        try await log.truncate([Self.topic: 2])
        #expect(try await feed.identity(of: phone) == FeedHistory.identity)
    }
}
