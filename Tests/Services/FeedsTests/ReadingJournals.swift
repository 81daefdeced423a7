import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import TestSupport

@testable import Feeds

/// Suites of devices that read the journal of their user, which stands among those of others in one topic.
protocol ReadingJournals {}

extension ReadingJournals {
    static var layout: TopicLayout { FeedHistory.layout.with(.sharded) }
    static var identity: FeedIdentity { FeedHistory.identity }
    static var journal: TopicPartition { TopicPartition(layout.journal(FeedHistory.user)) }
    static var other: TopicPartition { TopicPartition(layout.journal(UserRecordName.sample("b"))) }
    static var partition: TopicPartition { TopicPartition(layout.journals, 0) }

    func emptyLog() async throws -> MemoryLog {
        let log = MemoryLog()
        try await log.requireTopics([Self.layout.journalsSpecification])
        return log
    }

    /// Appends entries of the user's journal, with those of another user between them.
    func append(_ entries: some Sequence<FeedEntry>, to log: MemoryLog, others: Int = 1) async throws {
        let writer = try await SharedJournals(log, layout: Self.layout).makeWriter()
        for entry in entries {
            try await writer.append([FeedHistory.outgoing(entry, to: Self.journal)])
            let noise = OutgoingEntry(Self.other, key: nil, value: [0xFF], timestamp: LogTimestamp(milliseconds: 1))
            if others > 0 { try await writer.append([OutgoingEntry](repeating: noise, count: others)) }
        }
        await writer.close()
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

    init(
        _ log: any EventLog, _ keys: KeyRing, hasView: Bool, view: MemoryKeyedView = MemoryKeyedView(),
        endAge: Duration = FeedReading.endAge
    ) {
        self.view = view
        let (news, layout) = (news, FeedHistory.layout.with(.sharded))
        tail = JournalTail(
            log, layout: layout, view: view,
            listener: JournalTail.Listener(arrived: { news.arrived($0) }, missed: news.missed))
        let journals = SharedJournals.over(log, layout: layout, tail: hasView ? tail : nil)
        service = FeedService(
            log: journals, layout: layout, keys: keys,
            reading: FeedReading(journals, news: hasView ? news : nil, endAge: endAge))
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
