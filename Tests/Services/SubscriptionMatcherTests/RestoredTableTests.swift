import CloudMessages
import CloudModel
import EventLog
import Foundation
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// A snapshot of the table outlives a restore of the log from an older copy, with the same cluster and topic.
@Suite struct RestoredTableTests {
    private static let layout = SubscriptionHistory.layout
    private static let topic = TopicPartition(layout.subscriptions)

    private static func publish(_ numbers: ClosedRange<Int64>, to log: any EventLog) async throws {
        let entries = numbers.map { number in
            let key = SubscriptionKey(
                user: SubscriptionHistory.users[0], database: .public, id: SubscriptionID(trusted: "s\(number)"))
            let saved = SavedSubscription(
                subscription: SubscriptionHistory.subscription(key, above: 0), created: CommitSequence(number),
                saved: CommitSequence(number))
            let event = SubscriptionHistory.Event(key: key, sequence: number, saved: saved)
            return OutgoingEntry(
                topic, key: event.topicKey, value: event.message.encoded(), timestamp: LogTimestamp(milliseconds: 1))
        }
        try await log.withWriter { try await $0.append(entries) }
    }

    private static func log(_ numbers: ClosedRange<Int64>) async throws -> CopiedLog {
        let log = MemoryLog()
        _ = try await log.createTopics(layout.fixedTopics)
        try await publish(numbers, to: log)
        return CopiedLog(log)
    }

    /// Runs a follower until it has all that the log holds.
    private static func follow<Result>(
        _ log: CopiedLog, _ snapshots: TableSnapshots, _ body: (SubscriptionFollower) async throws -> Result
    ) async throws -> Result {
        let follower = SubscriptionFollower(log: log, layout: layout, snapshots: snapshots)
        let running = Task { try await follower.run() }
        try await log.withWriter { try await follower.catchUp(with: $0) }
        let result = try await body(follower)
        running.cancel()
        _ = await running.result
        return result
    }

    @Test(
        "a matcher on a restored log knows what that has, whether it has grown past the snapshot or not",
        arguments: [nil, 101...105, 101...120, 101...121, 101...122, 101...160] as [ClosedRange<Int64>?])
    func restored(_ since: ClosedRange<Int64>?) async throws {
        try await within {
            let folder = TemporaryFolder()
            let snapshots = TableSnapshots(folder: folder.url.path, program: [1]) { Timestamp(milliseconds: 1_000_000) }
            let before = try await Self.log(1...40)
            let identity = try await TableIdentity.current(of: Self.topic.topic, on: before)
            try await Self.follow(before, snapshots) { try await $0.takeSnapshot(identity, into: snapshots) }

            let log = try await Self.log(1...20)
            if let since { try await Self.publish(since, to: log) }
            let change = SubscriptionHistory.change(200, number: 5, after: since?.upperBound ?? 20)
            let found = try await Self.follow(log, snapshots) { await $0.hits(of: [(change, 0)], nil)[0] }
            #expect(Set(found.map(\.created.rawValue)) == Set(Array(1...20) + Array(since ?? 1...1)))
        }
    }

    private static func entry(_ offset: Int64, _ value: UInt8) -> LogEntry {
        LogEntry(offset: offset, timestamp: LogTimestamp(milliseconds: 1), key: [1], value: [value], headers: [])
    }

    @Test("entries that compaction took say nothing; the latest one that is left does")
    func compacted() async throws {
        var marks = TableMarks()
        marks.note((0..<100).map { Self.entry($0, 1) })
        #expect(marks.marks.map(\.offset) == Array(68..<100))
        let all = Dictionary(uniqueKeysWithValues: marks.marks.map { ($0.offset, $0.hash) })
        #expect(marks.agree(with: all))
        #expect(marks.agree(with: all.filter { $0.key < 80 }))
        #expect(!marks.agree(with: all.filter { $0.key < 80 }.merging([90: 1]) { $1 }))
        #expect(!marks.agree(with: [:]), "nothing shows that it is the same history")
        #expect(!TableMarks().agree(with: all))
    }
}
