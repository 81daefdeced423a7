import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import TestSupport
import Testing

@testable import Feeds

/// Suites of devices that read the journal of their user, which stands among those of others in one topic.
protocol ReadingJournals {}

extension ReadingJournals {
    static var layout: TopicLayout { FeedHistory.layout }
    static var identity: FeedIdentity { FeedHistory.identity }
    static var partition: TopicPartition { TopicPartition(layout.journals, 0) }

    func emptyLog() async throws -> MemoryLog {
        let log = MemoryLog()
        try await log.requireTopics([Self.layout.journalsSpecification])
        return log
    }

    /// A log that has entries of the user's journal.
    func written(_ entries: some Sequence<FeedEntry>, others: Int = 1) async throws -> MemoryLog {
        let log = try await emptyLog()
        try await append(entries, to: log, others: others)
        return log
    }

    /// Appends entries of the user's journal, with those of another user between them.
    func append(_ entries: some Sequence<FeedEntry>, to log: MemoryLog, others: Int = 1) async throws {
        let writer = try await log.makeWriter()
        let bystander = UserRecordName.sample("b")
        for entry in entries {
            var written = FeedHistory.outgoing(entry, to: Self.layout.journals(of: FeedHistory.user))
            written.key = Self.layout.userKey(FeedHistory.user)
            try await writer.append([written])
            let noise = OutgoingEntry(
                Self.layout.journals(of: bystander), key: Self.layout.userKey(bystander), value: [0xFF],
                timestamp: LogTimestamp(milliseconds: 1))
            if others > 0 { try await writer.append([OutgoingEntry](repeating: noise, count: others)) }
        }
        await writer.close()
    }

    /// The journal's entries before the last notification of the device, those from it on, and the device's
    /// notifications among those.
    func split(_ history: FeedHistory) throws -> (before: [FeedEntry], after: [FeedEntry], changes: [Int64]) {
        let index = try #require(
            history.journal.lastIndex { FeedHistory.change($0).map(history.expected.contains) == true })
        return (
            Array(history.journal[..<index]), Array(history.journal[index...]),
            history.journal[index...].compactMap(FeedHistory.change).filter(history.expected.contains)
        )
    }

    /// A reader that walks over the partition.
    func reader(
        _ log: any EventLog, from place: FeedPosition? = nil, reading: FeedReading? = nil
    ) async throws -> FeedReader {
        try await FeedReader(
            FeedSources(log, layout: Self.layout), identity: Self.identity, from: place, reading: reading)
    }

    func readAll(
        _ service: FeedService, after token: String? = nil, limit: Int = 200
    ) async throws -> (changes: [Int64], tokens: [String]) {
        var (changes, tokens): ([Int64], [String]) = ([], [])
        while true {
            let answer = try await service.changes(
                in: Self.identity, after: tokens.last ?? token, limit: limit, waiting: .zero)
            changes += answer.notifications.map(FeedHistory.change)
            tokens.append(answer.token)
            if !answer.moreComing { return (changes, tokens) }
        }
    }
}

/// A process that reads: with a view that a tail keeps, or by walking over the partition.
struct JournalProcess {
    let view: MemoryKeyedView
    let news = FeedWakeups()
    let tail: JournalTail
    let service: FeedService

    /// - Parameter rings: true for a tail that wakes waiting readers.
    init(
        _ log: any EventLog, _ keys: KeyRing, layout: TopicLayout = FeedHistory.layout, hasView: Bool,
        view: MemoryKeyedView = MemoryKeyedView(), endAge: Duration = FeedReading.endAge, rings: Bool = true
    ) {
        self.view = view
        let news = self.news
        tail = JournalTail(
            log, layout: layout, view: view,
            listener: rings ? JournalTail.Listener(arrived: { news.arrived($0) }, missed: news.missed) : .none)
        service = FeedService(
            FeedSources(log, layout: layout, journals: hasView ? tail : nil), keys: keys,
            reading: FeedReading(log, news: hasView ? news : nil, endAge: endAge))
    }

    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                await tail.run()
                return nil
            }
            group.addTask { try await body() }
            defer { group.cancelAll() }
            while let value = try await group.next() { if let value { return value } }
            throw CancellationError()
        }
    }
}
