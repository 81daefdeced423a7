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

/// Devices that read the journal of their user, which stands among those of others in one topic (layout `sharded`).
@Suite struct SharedJournalTests {
    private static let layout = FeedHistory.layout.with(.sharded)
    private static let identity = FeedHistory.identity
    private static let journal = TopicPartition(layout.journal(FeedHistory.user))
    private static let other = TopicPartition(layout.journal(UserRecordName.sample("b")))
    private static let partition = TopicPartition(layout.journals, 0)

    private let keys = KeyRing.generate()

    /// A process that reads: with a view that a tail keeps, or by walking over the partition.
    private struct Process {
        let view: MemoryKeyedView
        let news = FeedNews()
        let tail: JournalTail
        let service: FeedService

        init(
            _ log: any EventLog, _ keys: KeyRing, hasView: Bool, view: MemoryKeyedView = MemoryKeyedView(),
            endAge: Duration = FeedReading.endAge
        ) {
            self.view = view
            let news = news
            tail = JournalTail(
                log, layout: layout, view: view,
                listener: JournalTail.Listener(arrived: { news.arrived($0) }, missed: news.missed))
            let told = SharedJournals.over(log, layout: layout, tail: hasView ? tail : nil)
            service = FeedService(
                log: told, layout: layout, keys: keys,
                reading: FeedReading(told, news: hasView ? news : nil, endAge: hasView ? endAge : .zero))
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

    private func emptyLog() async throws -> MemoryLog {
        let log = MemoryLog()
        try await log.requireTopics([Self.layout.journalsSpecification])
        return log
    }

    /// Appends entries of the user's journal, with those of another user between them.
    private func append(_ entries: some Sequence<FeedEntry>, to log: MemoryLog, others: Int = 1) async throws {
        let writer = try await SharedJournals(log, layout: Self.layout).makeWriter()
        for entry in entries {
            try await writer.append([FeedHistory.outgoing(entry, to: Self.journal)])
            let noise = OutgoingEntry(Self.other, key: nil, value: [0xFF], timestamp: LogTimestamp(milliseconds: 1))
            if others > 0 { try await writer.append([OutgoingEntry](repeating: noise, count: others)) }
        }
        await writer.close()
    }

    private func readAll(
        _ service: FeedService, after token: String? = nil, limit: Int = 200
    ) async throws -> (told: [Int64], tokens: [String]) {
        var (told, tokens): ([Int64], [String]) = ([], [])
        while true {
            let answer = try await service.changes(
                in: Self.identity, after: tokens.last ?? token, limit: limit, waiting: .zero)
            told += answer.notifications.map(FeedHistory.told)
            tokens.append(answer.token)
            if !answer.moreComing { return (told, tokens) }
        }
    }

    @Test("everything comes once and in order, whatever is written twice, and from each token on what came after it")
    func reading() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        for round in 0..<60 as Range<UInt64> {
            var random = SeededGenerator(seed: seed &+ round)
            let history = FeedHistory(random: random, before: Int.random(in: 0...6, using: &random), after: 6)
            let log = try await emptyLog()
            var written = 0
            while written < history.journal.count {
                // A writer that died begins again before what it had written.
                let first = max(0, written - Int.random(in: 0...3, using: &random))
                let end = min(history.journal.count, written + Int.random(in: 1...4, using: &random))
                try await append(history.journal[first..<end], to: log, others: Int.random(in: 0...2, using: &random))
                written = end
            }
            let process = Process(log, keys, hasView: round % 2 == 0)
            let limit = Int.random(in: 1...5, using: &random)
            try await process.run {
                let (told, tokens) = try await readAll(process.service, limit: limit)
                #expect(told == history.expected, "seed \(seed &+ round)")
                for (number, token) in tokens.enumerated() {
                    let rest = try await readAll(process.service, after: token).told
                    #expect(rest == Array(told.dropFirst((number + 1) * limit)), "seed \(seed &+ round)")
                }
            }
        }
    }

    @Test(
        "a token goes on with what others have, and expires only when retention may have taken something",
        arguments: [false, true])
    func retention(_ hasView: Bool) async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 5), before: 4, after: 6)
        let log = try await emptyLog()
        try await append(history.journal.prefix(4), to: log)
        let process = Process(log, keys, hasView: hasView)
        try await process.run {
            let old = try #require(try await readAll(process.service, limit: 1).tokens.first)
            let last = try #require(try await readAll(process.service).tokens.last)
            try await append([], to: log)
            // Others go on: whoever looks again has a token behind that.
            let writer = try await log.makeWriter()
            let noise = OutgoingEntry(
                Self.partition, key: [1], value: [1], timestamp: LogTimestamp(milliseconds: 1))
            try await writer.append([OutgoingEntry](repeating: noise, count: 20))
            let moved = try #require(try await readAll(process.service, after: last).tokens.last)
            try await log.truncate([Self.partition: 20])
            let error = await #expect(throws: CloudError.self) { _ = try await readAll(process.service, after: old) }
            #expect(error?.code == .changeTokenExpired && error?.gap != nil)
            try await append(history.journal.dropFirst(4), to: log)
            let told = history.journal.dropFirst(4).compactMap(FeedHistory.told)
            #expect(try await readAll(process.service, after: moved).told == told.filter(history.expected.contains))
            // Without a token what is left comes, though its first entry follows one that is gone.
            #expect(try await readAll(process.service).told == told.filter(history.expected.contains))
        }
    }

    @Test("a missing entry is an error")
    func gap() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 6), before: 4, after: 4)
        let log = try await emptyLog()
        var entries = history.journal
        entries.remove(at: 3)
        try await append(entries, to: log)
        let service = Process(log, keys, hasView: false).service
        let error = await #expect(throws: CloudError.self) { _ = try await readAll(service) }
        #expect(error?.code == .internalError)
    }

    @Test("who waits is woken by an entry of the user, and not by others'")
    func waiting() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 7), before: 5, after: 5)
        let index = try #require(
            history.journal.lastIndex { FeedHistory.told($0).map(history.expected.contains) == true })
        let log = try await emptyLog()
        try await append(history.journal[..<index], to: log)
        let process = Process(log, keys, hasView: true)
        try await within(.seconds(90)) {
            try await process.run {
                let token = try #require(try await readAll(process.service).tokens.last)
                let poll = Task {
                    try await process.service.changes(
                        in: Self.identity, after: token, limit: 10, waiting: .seconds(60))
                }
                try await eventually("the poll waits") { process.news.waitingCount == 1 }
                try await append([], to: log)
                try await append([history.journal[index]], to: log)
                #expect(
                    try await poll.value.notifications.map(FeedHistory.told) == [
                        FeedHistory.told(history.journal[index])
                    ])
            }
        }
    }

    @Test(
        "one poll after the other gets what comes next, and a page beside it has all that is there"
    )
    func polls() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 16), before: 8, after: 8)
        let log = try await emptyLog()
        let process = Process(log, keys, hasView: true)
        try await within(.seconds(90)) {
            try await process.run {
                try await append(history.journal.prefix(2), to: log)
                var (told, tokens) = try await readAll(process.service)
                for entry in history.journal.dropFirst(2) {
                    let token = try #require(tokens.last)
                    guard FeedHistory.told(entry).map(history.expected.contains) == true else {
                        try await append([entry], to: log)
                        continue
                    }
                    let poll = Task {
                        try await process.service.changes(
                            in: Self.identity, after: token, limit: 10, waiting: .seconds(60))
                    }
                    // Before the poll waits, or after.
                    if told.count % 2 == 0 {
                        try await eventually("the poll waits") { process.news.waitingCount == 1 }
                    }
                    try await append([entry], to: log)
                    let page = try await process.service.changes(
                        in: Self.identity, after: token, limit: 10, waiting: .zero)
                    #expect(page.notifications.compactMap(FeedHistory.told).last == FeedHistory.told(entry))
                    let answer = try await poll.value
                    told += answer.notifications.map(FeedHistory.told)
                    tokens.append(answer.token)
                }
                #expect(told == history.expected)
            }
        }
    }

    /// A log that counts the questions for bounds.
    private final class CountedEnds: ForwardingLog {
        let base: any EventLog
        let asked = Atomic(0)
        var count: Int { asked.load(ordering: .relaxed) }

        init(_ base: any EventLog) { self.base = base }

        func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
            asked.add(1, ordering: .relaxed)
            return try await base.bounds(of: partitions)
        }
    }

    @Test(
        "who begins to wait is content with an end from before, and reads what has come since; who does not wait asks")
    func endsFromBefore() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 17), before: 5, after: 5)
        let told = history.journal.suffix(4).compactMap(FeedHistory.told).filter(history.expected.contains)
        let log = try await emptyLog()
        try await append(history.journal.dropLast(4), to: log)
        let asked = CountedEnds(log)
        let process = Process(asked, keys, hasView: true, endAge: .seconds(600))
        let other = Process(log, keys, hasView: true)
        try await within(.seconds(90)) {
            try await process.run {
                let token = try #require(try await readAll(process.service).tokens.last)
                try await append(history.journal.suffix(4), to: log)
                try await eventually("the view has all") {
                    process.tail.next(of: Self.partition) == Int64(2 * history.journal.count)
                }
                let before = asked.count
                for start in [token, token, nil] {
                    let reader = try await process.service.open(Self.identity, at: start, mayWait: true)
                    let page = try await reader.look(limit: 100, by: process.news, afterWait: false)
                    #expect(page.notifications.map(FeedHistory.told) == (start == nil ? history.expected : told))
                    await reader.close()
                }
                #expect(asked.count == before)
                // Another process has read further than the end that this one was told.
                let ahead = try await other.run { try #require(try await readAll(other.service).tokens.last) }
                try await process.service.open(Self.identity, at: ahead, mayWait: true).close()
                #expect(asked.count > before)
                let later = asked.count
                try await process.service.open(Self.identity, at: ahead).close()
                #expect(asked.count > later)
            }
        }
    }

    @Test("an end from before retention has moved the start is not believed")
    func startsFromBefore() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 18), before: 5, after: 5)
        let log = try await emptyLog()
        try await append(history.journal, to: log)
        let asked = CountedEnds(log)
        let process = Process(asked, keys, hasView: true, endAge: .seconds(600))
        try await within(.seconds(90)) {
            try await process.run {
                _ = try await readAll(process.service)
                try await log.truncate([Self.partition: 6])
                // The first who asks is told of it; all others ask as well, until the view has it, too.
                try await process.service.open(Self.identity, at: nil).close()
                for _ in 0..<2 {
                    let before = asked.count
                    let reader = try await process.service.open(Self.identity, at: nil, mayWait: true)
                    _ = try await reader.look(limit: 100, by: process.news, afterWait: false)
                    #expect(await reader.place.position.offset == Int64(2 * history.journal.count))
                    #expect(asked.count > before)
                    await reader.close()
                }
            }
        }
    }

    /// Makes the topic of journals anew.
    private func makeAnew(_ log: MemoryLog) async throws {
        _ = try await log.deleteTopics([Self.layout.journals])
        try await log.requireTopics([Self.layout.journalsSpecification])
    }

    @Test("who waits while the topic is made anew is told that the token expired, and nothing of the other topic")
    func anotherTopic() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 10), before: 4, after: 4)
        let other = FeedHistory(random: SeededGenerator(seed: 11), before: 9, after: 9)
        let log = try await emptyLog()
        try await append(history.journal, to: log)
        let process = Process(log, keys, hasView: true)
        try await within(.seconds(90)) {
            try await process.run {
                let token = try #require(try await readAll(process.service).tokens.last)
                let reader = try await process.service.open(Self.identity, at: token)
                let first = try await reader.look(limit: 10, by: process.news, afterWait: false)
                #expect(first.items.isEmpty)
                try await makeAnew(log)
                try await eventually("the view begins anew") { process.tail.beginnings(of: Self.partition) == 1 }
                // More than the one before had, so that the place of who waits is within it.
                try await append(other.journal, to: log)
                let error = await #expect(throws: CloudError.self) {
                    _ = try await reader.look(limit: 10, by: process.news, afterWait: true)
                }
                #expect(error?.code == .changeTokenExpired)
                await reader.close()
            }
        }
    }

    @Test(
        "who asks before an old view was begun anew waits for the new one, and is given that alone", arguments: 0..<10)
    func asksAtTheStart(round: Int) async throws {
        let old = FeedHistory(random: SeededGenerator(seed: 12), before: 4, after: 4)
        let new = FeedHistory(random: SeededGenerator(seed: 13), before: 5, after: 5)
        let log = try await emptyLog()
        try await append(old.journal, to: log)
        let view = MemoryKeyedView()
        try await JournalTail(log, layout: Self.layout, view: view).fill()
        try await makeAnew(log)
        // Also with nothing in the new one.
        if round > 0 { try await append(new.journal, to: log) }
        let process = Process(log, keys, hasView: true, view: view)
        try await within(.seconds(90)) {
            let asked = Task { try await readAll(process.service).told }
            for _ in 0..<round * 5 { await Task.yield() }
            let found = try await process.run { try await asked.value }
            #expect(found == (round > 0 ? new.expected : []))
        }
    }

    @Test("who waits by a view that follows the log no longer is told so when it is time to look again")
    func stuckView() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 14), before: 4, after: 4)
        let log = try await emptyLog()
        try await append(history.journal.dropLast(2), to: log)
        let process = Process(log, keys, hasView: true)
        try await within(.seconds(90)) {
            let reader = try await process.run {
                let token = try #require(try await readAll(process.service).tokens.last)
                let reader = try await process.service.open(Self.identity, at: token, mayWait: true)
                _ = try await reader.look(limit: 10, by: process.news, afterWait: false)
                return reader
            }
            // The tail has ended.
            try await append(history.journal.suffix(2), to: log)
            process.news.missed()
            await #expect(throws: LogError.self) {
                _ = try await reader.look(limit: 10, by: process.news, afterWait: true)
            }
            await reader.close()
        }
    }

    @Test("the end of a device's life ends its reading")
    func unregistering() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 8), before: 2, after: 2)
        let log = try await emptyLog()
        try await append(history.journal, to: log)
        var end = try #require(history.journal.last)
        end.predecessor = end.source
        end.source?.offset += 100
        end.entry = .unregistered(UnregisteredMark(device: "phone", epoch: 50))
        try await append([end], to: log)
        let service = Process(log, keys, hasView: false).service
        let error = await #expect(throws: CloudError.self) { _ = try await readAll(service) }
        #expect(error?.code == .notFound)
    }

    @Test("a view goes on where it was, and is read anew when the topic is another one")
    func views() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 9), before: 3, after: 3)
        let log = try await emptyLog()
        try await append(history.journal, to: log)
        let view = MemoryKeyedView()
        try await JournalTail(log, layout: Self.layout, view: view).fill()
        let place = try #require(try await view.place(of: Self.partition))
        #expect(place.next == Int64(history.journal.count * 2))
        try await JournalTail(log, layout: Self.layout, view: view).fill()
        #expect(try await view.place(of: Self.partition) == place)
        _ = try await log.deleteTopics([Self.layout.journals])
        try await log.requireTopics([Self.layout.journalsSpecification])
        try await append(history.journal.prefix(1), to: log, others: 0)
        try await JournalTail(log, layout: Self.layout, view: view).fill()
        let key = Self.layout.userKey(FeedHistory.user)
        #expect(try await view.entries(of: key, in: Self.partition, from: 0).entries.count == 1)
        #expect(try await view.keys(of: Self.partition) == [key])
    }
}
