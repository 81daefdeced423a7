import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// Stage 1 on a partition of changes that lost its last entries under the same topic.
@Suite struct LostTailTests {
    private static let layout = SubscriptionHistory.layout
    private static var key: [UInt8] { layout.changeKey(.public, change(2).matched!) }
    private static var partition: TopicPartition {
        TopicPartition(layout.changes(.public), layout.partition(of: key))
    }

    private let log = MemoryLog()

    private static func change(_ sequence: Int64) -> Change {
        SubscriptionHistory.change(sequence, number: 5, after: 1, name: "r")
    }

    private func start() async throws {
        _ = try await log.createTopics(Self.layout.fixedTopics)
        let key = SubscriptionKey(
            user: SubscriptionHistory.users[0], database: .public, id: SubscriptionID(trusted: "s"))
        let saved = SavedSubscription(
            subscription: SubscriptionHistory.subscription(key, above: 0), created: CommitSequence(1),
            saved: CommitSequence(1))
        let event = SubscriptionHistory.Event(key: key, sequence: 1, saved: saved)
        try await append([
            OutgoingEntry(
                TopicPartition(Self.layout.subscriptions), key: event.topicKey, value: event.message.encoded(),
                timestamp: LogTimestamp(milliseconds: 1))
        ])
    }

    private func append(_ entries: [OutgoingEntry]) async throws {
        try await log.withWriter { try await $0.append(entries) }
    }

    private func publish(_ sequences: some Sequence<Int64>) async throws {
        try await append(
            sequences.map { sequence in
                let change = Self.change(sequence)
                return OutgoingEntry(
                    Self.partition, key: Self.key,
                    value: ChangeEvent(change, store: SubscriptionHistory.store).encoded(),
                    timestamp: LogTimestamp(change.committed))
            })
    }

    private func untilCommitted(_ offset: Int64) async throws {
        try await eventually("the commit of \(offset)") {
            try await log.positions(of: SubscriptionMatcher.group(Self.layout), [Self.partition])[Self.partition]?
                .offset == offset
        }
    }

    /// The changes of the hits, as a reader sees them that drops repeats.
    private func hits() async throws -> [Int64] {
        var seen = LogPosition(offset: 0)
        let user = Self.layout.deliveries(of: SubscriptionHistory.users[0])
        return try await log.follow(user, from: 0).entriesToEnd().compactMap { entry in
            let name = try DeliveryEntry(decoding: entry.value!).source!.position
            return seen.advance(to: name) ? name.offset : nil
        }
    }

    @Test(
        "changes that were saved after a loss are matched, however many there are when the matcher reads on",
        arguments: [(10, 5), (10, 10), (10, 11), (3, 14), (20, 30), (20, 0)])
    func lost(_ lost: Int, _ later: Int) async throws {
        try await within {
            try await start()
            try await publish(2...21)
            var matcher = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            try await untilCommitted(20)
            matcher.cancel()
            await matcher.value

            try await log.loseTail(of: Self.partition, lost)
            let news = (22..<22 + later).map(Int64.init)
            try await publish(news)
            matcher = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            try await eventually("the hits of the later changes") { try await hits().count >= 20 + later }
            try await untilCommitted(Int64(20 - lost + later))
            matcher.cancel()
            await matcher.value
            #expect(try await hits() == Array(2...21) + news)
        }
    }

    @Test("a matcher that runs while entries are lost goes on before them")
    func lostWhileItRuns() async throws {
        try await within {
            try await start()
            try await publish(2...21)
            let matcher = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            try await untilCommitted(20)
            try await log.loseTail(of: Self.partition, 10)
            try await untilCommitted(10)
            // The relay publishes again what it has kept.
            try await publish(15...24)
            try await untilCommitted(20)
            matcher.cancel()
            await matcher.value
            #expect(try await hits() == Array(2...24))
        }
    }
}
