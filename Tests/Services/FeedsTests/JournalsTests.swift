import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import Synchronization
import TestSupport
import Testing
import Waiting

@testable import Feeds

/// The port of users' journals: on the log itself, and on the view of a process, which behave alike.
@Suite struct JournalsTests: ReadingJournals {
    private static let alice = UserRecordName.sample("a")
    private static let bob = UserRecordName.sample("b")
    private static let carol = UserRecordName.sample("c")
    private let keys = KeyRing.generate()

    /// Appends an entry for each user, all at once; each holds its number among them.
    private func append(
        _ users: some Sequence<UserRecordName>, to log: MemoryLog, in layout: TopicLayout = FeedHistory.layout
    ) async throws {
        let entries = users.enumerated().map { number, user in
            OutgoingEntry(
                layout.journals(of: user), key: layout.userKey(user), value: Array("\(number)".utf8),
                timestamp: LogTimestamp(milliseconds: Int64(number)))
        }
        try await log.withWriter { try await $0.append(entries) }
    }

    /// Removes a user's entries, as the removal of the user does.
    private func remove(_ user: UserRecordName, from log: MemoryLog, in layout: TopicLayout) async throws {
        let entry = OutgoingEntry(
            layout.journals(of: user), key: layout.userKey(user), value: nil, timestamp: LogTimestamp(milliseconds: 1))
        try await log.withWriter { try await $0.append([entry]) }
    }

    /// Waits for entries at an offset or behind it.
    private func news(_ reader: any EntryReader, from offset: Int64) async throws -> LogBatch {
        var next = offset
        while true {
            try await reader.wait(from: next)
            let batch = try await reader.batch(from: next)
            if !batch.entries.isEmpty { return batch }
            next = batch.nextOffset
        }
    }

    /// Expects that an offset cannot be read, for the bounds that are there.
    private func expectOutOfRange(
        _ reader: any EntryReader, _ offset: Int64, _ bounds: OffsetBounds,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let refused = await #expect(throws: LogError.self, sourceLocation: sourceLocation) {
            _ = try await reader.batch(from: offset)
        }
        #expect(
            refused == LogError.offsetOutOfRange(Self.partition, requested: offset, bounds: bounds),
            sourceLocation: sourceLocation)
    }

    /// Runs a test of the port on a log.
    private func with(
        _ log: MemoryLog, layout: TopicLayout = FeedHistory.layout, hasView: Bool,
        _ body: @escaping @Sendable (any Journals) async throws -> Void
    ) async throws {
        let process = JournalProcess(log, keys, layout: layout, hasView: hasView)
        try await within { try await process.run { try await body(process.service.journals) } }
    }

    // MARK: Entries

    @Test("a batch of a cancelled task is not read", arguments: [false, true])
    func cancelled(hasView: Bool) async throws {
        let log = try await emptyLog()
        try await append([Self.alice, Self.alice], to: log)
        try await with(log, hasView: hasView) { journals in
            let reader = try await journals.reader(of: Self.alice)
            let reading = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await reader.batch(from: 0)
            }
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            #expect(try await reader.batch(from: 0).entries.count == 2)
        }
    }

    @Test("a user's entries alone come, in order, with the offsets of the partition", arguments: [false, true])
    func entries(hasView: Bool) async throws {
        var random = SeededGenerator(seed: 21)
        let users = (0..<3000).map { _ in [Self.alice, Self.alice, Self.bob].randomElement(using: &random)! }
        let starts = [0, 1, 2999, 3000] + (0..<20).map { _ in Int64.random(in: 0...3000, using: &random) }
        let log = try await emptyLog()
        try await append(users, to: log)
        try await with(log, hasView: hasView) { journals in
            for user in [Self.alice, Self.bob] {
                let reader = try await journals.reader(of: user)
                // One reader goes to and fro.
                for start in starts {
                    let wanted = users.indices.filter { $0 >= start && users[$0] == user }
                    let (entries, next) = try await reader.entriesToEnd(from: start)
                    #expect(entries.map(\.offset) == wanted.map { Int64($0) })
                    #expect(entries.map(\.text) == wanted.map { "\($0)" })
                    #expect(entries.map(\.timestamp.milliseconds) == wanted.map { Int64($0) })
                    #expect(entries.allSatisfy { $0.key == Self.layout.userKey(user) } && next == 3000)
                    #expect(try await reader.first(from: start)?.offset == wanted.first.map { Int64($0) })
                }
                reader.close()
            }
        }
    }

    @Test("the bounds are the partition's, and an offset outside of them is refused", arguments: [false, true])
    func bounds(hasView: Bool) async throws {
        let log = try await emptyLog()
        try await append([Self.alice, Self.bob, Self.alice, Self.bob, Self.bob], to: log)
        try await log.truncate([Self.partition: 2])
        try await with(log, hasView: hasView) { journals in
            let bounds = OffsetBounds(start: 2, end: 5)
            let kept: [(UserRecordName, [Int64])] = [(Self.alice, [2]), (Self.bob, [3, 4]), (Self.carol, [])]
            for (user, wanted) in kept {
                let reader = try await journals.reader(of: user)
                #expect(reader.bounds == bounds)
                for offset in [0, 1, 6, 100] as [Int64] { await expectOutOfRange(reader, offset, bounds) }
                // It can still be used, at both bounds.
                #expect(try await reader.entriesToEnd(from: 2).entries.map(\.offset) == wanted)
                let end = try await reader.batch(from: 5)
                #expect(end.entries.isEmpty && end.isAtEnd && end.nextOffset == 5)
                reader.close()
            }
        }
    }

    @Test("an empty batch at the end is behind the entries of others", arguments: [false, true])
    func others(hasView: Bool) async throws {
        let log = try await emptyLog()
        try await append([Self.bob, Self.alice, Self.bob, Self.bob], to: log)
        try await with(log, hasView: hasView) { journals in
            let reader = try await journals.reader(of: Self.alice)
            let found = try await reader.entriesToEnd()
            #expect(found.entries.map(\.offset) == [1] && found.next == 4)
            let later = try await reader.batch(from: 2)
            #expect(later.entries.isEmpty && later.isAtEnd && later.nextOffset == 4)
            let none = try await journals.reader(of: Self.carol).batch(from: 0)
            #expect(none.entries.isEmpty && none.isAtEnd && none.nextOffset == 4)
            #expect(try await reader.first(from: 2) == nil)
            reader.close()
        }
    }

    @Test("without the topic of journals there is no reader, and no user", arguments: [false, true])
    func absent(hasView: Bool) async throws {
        let journals = JournalProcess(MemoryLog(), keys, hasView: hasView).service.journals
        let reading = await #expect(throws: LogError.self) { _ = try await journals.reader(of: Self.alice) }
        let listing = await #expect(throws: LogError.self) { _ = try await journals.users() }
        for refused in [reading, listing] {
            let isUnknown = if case .unknownTopic? = refused { true } else { false }
            #expect(isUnknown, "\(String(describing: refused))")
        }
    }

    // MARK: Users

    @Test("the users are those with entries, and not those who were removed", arguments: [false, true])
    func users(hasView: Bool) async throws {
        let layout = TopicLayout(FeedHistory.scope, partitions: 3)
        let log = MemoryLog()
        try await log.requireTopics([layout.journalsSpecification])
        let users = "0123456789".map { UserRecordName.sample($0) }
        #expect(Set(users.map { layout.journals(of: $0) }).count == 3)
        try await with(log, layout: layout, hasView: hasView) { journals in
            func expectUsers(_ wanted: some Sequence<UserRecordName>) async throws {
                let found = try await journals.users().map(\.rawValue).sorted()
                #expect(found == wanted.map(\.rawValue).sorted())
            }
            try await expectUsers([])
            try await append(users + users, to: log, in: layout)
            try await expectUsers(users)
            for user in users.prefix(4) { try await remove(user, from: log, in: layout) }
            try await expectUsers(users.dropFirst(4))
            // One comes back, and one was never there.
            try await append([users[1]], to: log, in: layout)
            try await remove(UserRecordName.sample("f"), from: log, in: layout)
            try await expectUsers([users[1]] + users.dropFirst(4))
            // Each is found in the partition of the user.
            for user in users.dropFirst(4) {
                let reader = try await journals.reader(of: user)
                let partition = layout.journals(of: user)
                let bounds = try await log.bounds(of: [partition])[partition]
                #expect(reader.bounds == bounds)
                let entries = try await reader.entriesToEnd().entries
                #expect(entries.count == 2 && entries.allSatisfy { $0.key == layout.userKey(user) })
            }
        }
    }

    // MARK: Waiting

    @Test("a reader at the end goes on after new entries", arguments: [false, true])
    func later(hasView: Bool) async throws {
        let log = try await emptyLog()
        try await append([Self.alice, Self.bob], to: log)
        try await with(log, hasView: hasView) { journals in
            let reader = try await journals.reader(of: Self.alice)
            var (entries, next) = try await reader.entriesToEnd()
            #expect(next == 2)
            for _ in 0..<3 {
                // Nothing of the user's at first.
                try await append([Self.bob], to: log)
                try await append([Self.bob, Self.alice, Self.bob], to: log)
                let batch = try await news(reader, from: next)
                entries += batch.entries
                next = batch.nextOffset
            }
            #expect(entries.map(\.offset) == [0, 4, 8, 12] && next == 14)
            #expect(reader.bounds == OffsetBounds(start: 0, end: 2))
            reader.close()
        }
    }

    @Test("a wait ends with the next entry, of the user or of another one", arguments: [false, true])
    func waiting(hasView: Bool) async throws {
        let log = try await emptyLog()
        try await append([Self.bob, Self.alice], to: log)
        try await with(log, hasView: hasView) { journals in
            let reader = try await journals.reader(of: Self.alice)
            // There is something at the start, and behind it.
            for offset in 0..<2 as Range<Int64> { try await reader.wait(from: offset) }
            var next = try await reader.entriesToEnd().next
            for user in [Self.bob, Self.alice, Self.carol, Self.alice] {
                let end = Answer<Void>()
                let wait = Task { [next] in
                    try await reader.wait(from: next)
                    end.give(())
                }
                for _ in 0..<50 { await Task.yield() }
                #expect(!end.isGiven)
                try await append([user], to: log)
                try await wait.value
                let batch = try await reader.batch(from: next)
                #expect(batch.entries.map(\.offset) == (user == Self.alice ? [next] : []))
                #expect(batch.nextOffset == next + 1 && batch.isAtEnd)
                next = batch.nextOffset
            }
            reader.close()
        }
    }

    @Test("a wait whose task is cancelled throws, and its reader can still be used", arguments: [false, true])
    func cancelling(hasView: Bool) async throws {
        let log = try await emptyLog()
        try await append([Self.alice], to: log)
        try await with(log, hasView: hasView) { journals in
            let reader = try await journals.reader(of: Self.alice)
            let next = try await reader.entriesToEnd().next
            // Before the wait has begun, or after.
            for pauses in [0, 50] {
                let wait = Task { try await reader.wait(from: next) }
                for _ in 0..<pauses { await Task.yield() }
                wait.cancel()
                await #expect(throws: CancellationError.self) { try await wait.value }
            }
            try await append([Self.bob, Self.alice], to: log)
            #expect(try await news(reader, from: next).entries.map(\.offset) == [2])
            reader.close()
        }
    }

    // MARK: The log alone

    /// The number of followers that were made, and of those that were closed.
    private final class Looks: Sendable {
        let counts = Mutex((opened: 0, closed: 0))
    }

    /// A follower whose end is counted.
    private struct CountedFollower: LogFollower {
        let base: any LogFollower
        let looks: Looks

        init(_ base: any LogFollower, _ looks: Looks) {
            self.base = base
            self.looks = looks
            looks.counts.withLock { $0.opened += 1 }
        }

        func next() async throws -> LogBatch { try await base.next() }

        func close() {
            looks.counts.withLock { $0.closed += 1 }
            base.close()
        }
    }

    @Test("on the log, batches that follow each other are of one look, and none is left open")
    func looks() async throws {
        let log = try await emptyLog()
        try await append([Self.alice, Self.bob, Self.alice, Self.alice, Self.bob], to: log)
        let looks = Looks()
        let watched = InterceptedLog(log) { CountedFollower(SplitFollower($1), looks) }
        func expectCounts(opened: Int, closed: Int, sourceLocation: SourceLocation = #_sourceLocation) {
            let counts = looks.counts.withLock { $0 }
            #expect(counts == (opened, closed), sourceLocation: sourceLocation)
        }
        do {
            let reader = try await LogJournals(watched, layout: Self.layout).reader(of: Self.alice)
            expectCounts(opened: 0, closed: 0)
            #expect(try await reader.entriesToEnd().entries.map(\.offset) == [0, 2, 3])
            expectCounts(opened: 1, closed: 0)
            #expect(try await reader.batch(from: 1).entries.map(\.offset) == [2])
            expectCounts(opened: 2, closed: 1)
            reader.close()
            expectCounts(opened: 2, closed: 2)
            #expect(try await reader.batch(from: 3).entries.map(\.offset) == [3])
            await expectOutOfRange(reader, 6, OffsetBounds(start: 0, end: 5))
            #expect(try await reader.batch(from: 0).entries.map(\.offset) == [0])
            expectCounts(opened: 4, closed: 3)
            withExtendedLifetime(reader) {}
        }
        // A reader that is dropped closes its own.
        expectCounts(opened: 4, closed: 4)
    }

    // MARK: The view alone

    @Test(
        "a reader of the view from before a rebuild is out of range, whether the other topic has less or more",
        arguments: [0, 2, 20])
    func rebuilt(count: Int) async throws {
        let log = try await emptyLog()
        try await append([Self.alice, Self.bob, Self.alice, Self.bob], to: log)
        let process = JournalProcess(log, keys, hasView: true)
        try await within {
            try await process.run {
                let journals = process.service.journals
                let reader = try await journals.reader(of: Self.alice)
                #expect(try await reader.entriesToEnd().entries.map(\.offset) == [0, 2])
                _ = try await log.deleteTopics([Self.layout.journals])
                try await log.requireTopics([Self.layout.journalsSpecification])
                try await eventually("a rebuild of the view") { process.tail.rebuilds(of: Self.partition) == 1 }
                try await append([UserRecordName](repeating: Self.alice, count: count), to: log)
                let again = try await journals.reader(of: Self.alice)
                #expect(try await again.entriesToEnd().entries.map(\.offset) == Array(0..<Int64(count)))
                for offset in [0, 2, 4] as [Int64] {
                    let refused = await #expect(throws: LogError.self) { _ = try await reader.batch(from: offset) }
                    guard case .offsetOutOfRange(Self.partition, requested: offset, bounds: _)? = refused else {
                        Issue.record("\(offset): \(String(describing: refused))")
                        continue
                    }
                }
            }
        }
    }

    @Test("a reader of the view whose next entries retention took is out of range, and goes on from the new start")
    func trimmed() async throws {
        let log = try await emptyLog()
        try await append([Self.alice, Self.bob, Self.alice, Self.bob, Self.bob, Self.alice], to: log)
        let process = JournalProcess(log, keys, hasView: true)
        let time = ManualTime()
        try await within {
            try await time.bound {
                try await process.run {
                    let reader = try await process.service.journals.reader(of: Self.alice)
                    #expect(try await reader.entriesToEnd().entries.map(\.offset) == [0, 2, 5])
                    try await log.truncate([Self.partition: 4])
                    try await eventually("the view is trimmed") {
                        time.advance(by: .seconds(60))
                        return process.tail.start(of: Self.partition) == 4
                    }
                    for offset in 0..<4 as Range<Int64> {
                        await expectOutOfRange(reader, offset, OffsetBounds(start: 4, end: 6))
                    }
                    #expect(try await reader.entriesToEnd(from: 4).entries.map(\.offset) == [5])
                }
            }
        }
    }
}
