import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// The names of hits: by the change's sequence, at whatever offset the change is.
@Suite struct HitNameTests {
    private static let layout = SubscriptionHistory.layout
    private static let store = SubscriptionHistory.store

    private let log = MemoryLog()

    private static func change(_ sequence: Int64) -> Change {
        SubscriptionHistory.change(sequence, number: 5, after: 1, name: "r")
    }

    private static var partition: TopicPartition {
        let key = layout.changeKey(.public, change(2).matched!)
        return TopicPartition(layout.changes(.public), layout.partition(of: key))
    }

    private func start() async throws {
        _ = try await log.createTopics(Self.layout.fixedTopics)
        let key = SubscriptionKey(
            user: SubscriptionHistory.users[0], database: .public, id: SubscriptionID(trusted: "s"))
        let saved = SavedSubscription(
            subscription: SubscriptionHistory.subscription(key, above: 0), created: CommitSequence(1),
            saved: CommitSequence(1))
        let event = SubscriptionHistory.Event(key: key, sequence: 1, saved: saved)
        try await log.withWriter {
            try await $0.append([
                OutgoingEntry(
                    TopicPartition(Self.layout.subscriptions), key: event.topicKey, value: event.message.encoded(),
                    timestamp: LogTimestamp(milliseconds: 1))
            ])
        }
    }

    private func publish(_ sequences: [Int64]) async throws {
        let entries = sequences.map { sequence in
            let change = Self.change(sequence)
            return OutgoingEntry(
                Self.partition, key: Self.layout.changeKey(.public, change.matched!),
                value: ChangeEvent(change, store: Self.store).encoded(), timestamp: LogTimestamp(change.committed))
        }
        try await log.withWriter { try await $0.append(entries) }
    }

    /// Runs a matcher until it has committed all changes.
    private func match() async throws {
        let matcher = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
        try await eventually("the end of the changes") {
            let bounds = try await log.bounds(of: [Self.partition])
            return try await committed()?.offset == bounds[Self.partition]?.end
        }
        matcher.cancel()
        await matcher.value
    }

    private func committed() async throws -> LogPosition? {
        try await log.positions(of: SubscriptionMatcher.group(Self.layout), [Self.partition])[Self.partition]
    }

    private func deliveries() async throws -> [DeliveryEntry] {
        let user = Self.layout.deliveries(of: SubscriptionHistory.users[0])
        return try await log.follow(user, from: 0).entriesToEnd().map { try DeliveryEntry(decoding: $0.value!) }
    }

    @Test("a change that is published again at another offset gives hits with the same names")
    func publishedAgain() async throws {
        try await within {
            try await start()
            try await publish([2, 3, 4, 5])
            try await match()
            let before = try await deliveries()
            #expect(before.map { $0.source!.offset } == [2, 3, 4, 5])
            #expect(before.allSatisfy { $0.hitsDatabase == .public && $0.source!.incarnation == Self.store })
            #expect(before.map(\.place) == [0, 1, 2, 3])

            // The partition and the positions lose their ends; the relay publishes again, from earlier on.
            try await log.loseTail(of: Self.partition, 3)
            try await log.store(
                [Self.partition: LogPosition(offset: 1)], of: SubscriptionMatcher.group(Self.layout))
            try await publish([2, 3, 4, 5])
            try await match()
            let after = try await deliveries().dropFirst(before.count)
            #expect(after.map(\.source) == before.map(\.source))
            #expect(after.map(\.event) == before.map(\.event))
            #expect(after.map(\.place) == [1, 2, 3, 4])
        }
    }

    @Test("hits that an earlier build may have written say how it would have named them, and later ones do not")
    func afterAnUpgrade() async throws {
        try await within {
            try await start()
            try await publish([2, 3])
            let incarnation = try await log.incarnation(of: Self.partition.topic)
            // The position of a build that named hits by offsets has no marks.
            let position = LogPosition(offset: 1, incarnation: incarnation)
            try await log.store([Self.partition: position], of: SubscriptionMatcher.group(Self.layout))
            try await match()
            #expect(try await committed()?.marks.map(\.offset) == [1])
            try await publish([4])
            try await match()
            let deliveries = try await deliveries()
            #expect(deliveries.map(\.formerly) == [incarnation, 0])
            let topic = SourceID(
                origin: "changes.public", incarnation: incarnation, partition: Self.partition.partition)
            #expect(deliveries[0].formerName(Self.layout) == SourcePosition(source: topic, offset: 1))
            #expect(deliveries[1].formerName(Self.layout) == nil)
        }
    }

    @Test(
        "a repair rewinds to the first change whose hits may be unknown, by sequences and by offsets of earlier builds")
    func rewound() async throws {
        try await within {
            try await start()
            try await publish([2, 3, 2, 3, 4, 5, 6])
            try await match()
            let repair = MatchRepair(log: log, layout: Self.layout)
            var known = MatchedChanges(sequences: [Self.store: 5])
            try await repair.rewind(to: [Self.partition: known])
            #expect(try await committed()?.offset == 5)

            try await match()
            let topic = SourceID(origin: "changes.public", incarnation: 9, partition: Self.partition.partition)
            known.lower(to: SourcePosition(source: topic, offset: 4))
            try await repair.rewind(to: [Self.partition: known])
            #expect(try await committed()?.offset == 4)

            try await match()
            let hits = SourceID(origin: "hits.public", incarnation: Self.store, partition: Self.partition.partition)
            known.lower(to: SourcePosition(source: hits, offset: 3))
            try await repair.rewind(to: [Self.partition: known])
            #expect(try await committed()?.offset == 1)

            try await match()
            try await repair.rewind(to: [:])
            #expect(try await committed()?.offset == 0)
        }
    }
}
