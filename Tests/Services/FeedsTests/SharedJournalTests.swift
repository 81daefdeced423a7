import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import Feeds

/// Devices that read the journal of their user, which stands among those of others in one topic.
@Suite struct SharedJournalTests: ReadingJournals {
    private let keys = KeyRing.generate()

    @Test("every entry comes once and in order, with any repeats, and each token gives the entries after it")
    func reading() async throws {
        let seed = TestSeeds.first
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
            let process = JournalProcess(log, keys, hasView: round % 2 == 0)
            let limit = Int.random(in: 1...5, using: &random)
            try await process.run {
                let (changes, tokens) = try await readAll(process.service, limit: limit)
                #expect(changes == history.expected, "seed \(seed &+ round)")
                for (number, token) in tokens.enumerated() {
                    let rest = try await readAll(process.service, after: token).changes
                    #expect(rest == Array(changes.dropFirst((number + 1) * limit)), "seed \(seed &+ round)")
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
        let process = JournalProcess(log, keys, hasView: hasView)
        try await process.run {
            let old = try #require(try await readAll(process.service, limit: 1).tokens.first)
            let last = try #require(try await readAll(process.service).tokens.last)
            try await append([], to: log)
            // Others go on: a later read has a token behind that.
            let writer = try await log.makeWriter()
            let noise = OutgoingEntry(
                Self.partition, key: [1], value: [1], timestamp: LogTimestamp(milliseconds: 1))
            try await writer.append([OutgoingEntry](repeating: noise, count: 20))
            let moved = try #require(try await readAll(process.service, after: last).tokens.last)
            try await log.truncate([Self.partition: 20])
            let error = await #expect(throws: CloudError.self) { _ = try await readAll(process.service, after: old) }
            #expect(error?.code == .changeTokenExpired && error?.gap != nil)
            try await append(history.journal.dropFirst(4), to: log)
            let changes = history.journal.dropFirst(4).compactMap(FeedHistory.change)
            #expect(
                try await readAll(process.service, after: moved).changes == changes.filter(history.expected.contains))
            // Without a token the remaining entries come, though the predecessor of the first one is gone.
            #expect(try await readAll(process.service).changes == changes.filter(history.expected.contains))
        }
    }

    @Test("a missing entry is an error")
    func gap() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 6), before: 4, after: 4)
        let log = try await emptyLog()
        var entries = history.journal
        entries.remove(at: 3)
        try await append(entries, to: log)
        let service = JournalProcess(log, keys, hasView: false).service
        let error = await #expect(throws: CloudError.self) { _ = try await readAll(service) }
        #expect(error?.code == .internalError)
    }

    @Test("a waiting poll is woken by an entry of its user, and not by others'")
    func waiting() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 7), before: 5, after: 5)
        let index = try #require(
            history.journal.lastIndex { FeedHistory.change($0).map(history.expected.contains) == true })
        let log = try await emptyLog()
        try await append(history.journal[..<index], to: log)
        let process = JournalProcess(log, keys, hasView: true)
        try await within {
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
                    try await poll.value.notifications.map(FeedHistory.change) == [
                        FeedHistory.change(history.journal[index])
                    ])
            }
        }
    }

    /// Recreates the topic of journals.
    private func recreate(_ log: MemoryLog) async throws {
        _ = try await log.deleteTopics([Self.layout.journals])
        try await log.requireTopics([Self.layout.journalsSpecification])
    }

    @Test("a poll that waits while the topic is recreated gets an expired token, and nothing of the other topic")
    func anotherTopic() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 10), before: 4, after: 4)
        let other = FeedHistory(random: SeededGenerator(seed: 11), before: 9, after: 9)
        let log = try await emptyLog()
        try await append(history.journal, to: log)
        let process = JournalProcess(log, keys, hasView: true)
        try await within {
            try await process.run {
                let token = try #require(try await readAll(process.service).tokens.last)
                let reader = try await process.service.open(Self.identity, at: token)
                let first = try await reader.look(limit: 10, by: process.news, afterWait: false)
                #expect(first.items.isEmpty)
                try await recreate(log)
                try await eventually("a rebuild of the view") { process.tail.rebuilds(of: Self.partition) == 1 }
                // More than the topic before had, so that the waiting position is within it.
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
        "a reader from before a rebuild waits for the new view, and gets only its entries", arguments: 0..<10)
    func asksAtTheStart(round: Int) async throws {
        let old = FeedHistory(random: SeededGenerator(seed: 12), before: 4, after: 4)
        let new = FeedHistory(random: SeededGenerator(seed: 13), before: 5, after: 5)
        let log = try await emptyLog()
        try await append(old.journal, to: log)
        let view = MemoryKeyedView()
        try await JournalTail(log, layout: Self.layout, view: view).fill()
        try await recreate(log)
        // Also with nothing in the new one.
        if round > 0 { try await append(new.journal, to: log) }
        let process = JournalProcess(log, keys, hasView: true, view: view)
        try await within {
            let reading = Task { try await readAll(process.service).changes }
            for _ in 0..<round * 5 { await Task.yield() }
            let found = try await process.run { try await reading.value }
            #expect(found == (round > 0 ? new.expected : []))
        }
    }

    @Test("a poll on a view that no longer follows the log fails at its next check")
    func stuckView() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 14), before: 4, after: 4)
        let log = try await emptyLog()
        try await append(history.journal.dropLast(2), to: log)
        let process = JournalProcess(log, keys, hasView: true)
        let time = ManualTime(skipsPauses: true)
        try await within {
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
                try await time.bound { _ = try await reader.look(limit: 10, by: process.news, afterWait: true) }
            }
            #expect(time.pauses.contains(JournalTail.patience))
            await reader.close()
        }
    }

    @Test("the end of a device's life ends its reading")
    func unregistering() async throws {
        let history = FeedHistory(random: SeededGenerator(seed: 8), before: 2, after: 2)
        let log = try await emptyLog()
        try await append(history.journal, to: log)
        try await append([history.removal], to: log)
        let service = JournalProcess(log, keys, hasView: false).service
        let error = await #expect(throws: CloudError.self) { _ = try await readAll(service) }
        #expect(error?.code == .notFound)
    }

    @Test("a view continues at its position, and is rebuilt if the topic is another one")
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
