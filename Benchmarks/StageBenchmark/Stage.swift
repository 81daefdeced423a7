import CloudMessages
import CloudModel
import EventLog
import Foundation
import Matching
import MatchingWorkload
import MemoryLog
import ProtocolBuffers
import SubscriptionMatcher

/// Stage 1 on a log in memory as fast as it goes, beside what decoding, the bare index and encoding take when they are
/// called one after the other on the same changes.
struct Stage {
    static let store: UInt64 = 7
    let subscriptions: Int
    let changes: Int
    let spread: Workload.Spread

    private let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.bench"), environment: .development),
        partitions: 1)
    private var source: SourceID { SourceID(origin: "changes.public", incarnation: 1, partition: 0) }

    /// One round: seconds of the parts and of the whole, and the entries that were written.
    struct Round {
        var decoding = 0.0
        var index = 0.0
        var encoding = 0.0
        var stage = 0.0
        var hits = 0
        var entries = 0
        var ratio: Double { (decoding + index + encoding) / stage }
    }

    func run(rounds: Int) async throws {
        Workload.beginSubscriptions()
        let saved = Workload.subscriptions(subscriptions, from: 0, spread).enumerated().map { number, subscription in
            SavedSubscription(
                subscription: subscription, created: CommitSequence(Int64(number) + 1),
                saved: CommitSequence(Int64(number) + 1))
        }
        let events = Workload.changes(changes, after: subscriptions, spread).map {
            ChangeEvent($0, store: Self.store).encoded()
        }
        var all: [Round] = []
        for _ in 0..<rounds {
            var round = parts(saved, events)
            round.stage = try await whole(saved, events, entries: round.entries)
            all.append(round)
        }
        all.sort { $0.ratio < $1.ratio }
        let median = all[all.count / 2]
        func rate(_ seconds: Double) -> String { String(format: "%.0f", Double(changes) / seconds) }
        print(
            """
            {"subscriptions":\(subscriptions),"changes":\(changes),"hitsPerChange":\(String(format: "%.2f", Double(median.hits) / Double(changes))),\
            "decodedPerSecond":\(rate(median.decoding)),"matchedPerSecond":\(rate(median.index)),\
            "encodedPerSecond":\(rate(median.encoding)),\
            "togetherPerSecond":\(rate(median.decoding + median.index + median.encoding)),\
            "stagePerSecond":\(rate(median.stage)),"ratio":\(String(format: "%.2f", median.ratio)),"rounds":\(rounds)}
            """)
    }

    /// Decoding, matching and encoding, each by itself.
    private func parts(_ saved: [SavedSubscription], _ events: [[UInt8]]) -> Round {
        var round = Round()
        var index = SubscriptionIndex()
        for (id, saved) in saved.enumerated() { index.insert(saved.subscription, id: id) }
        var changes: [Change] = []
        changes.reserveCapacity(events.count)
        round.decoding = seconds {
            for event in events {
                if let change = try? ChangeEvent(decoding: event).change() { changes.append(change) }
            }
        }
        var found: [[UInt32]] = []
        found.reserveCapacity(changes.count)
        round.index = seconds {
            for change in changes { index.withMatches(of: change) { found.append(Array($0)) } }
        }
        let fired = saved.map { FiredSubscription($0) }
        round.encoding = seconds {
            for (offset, ids) in found.enumerated() {
                let hits = ids.map { fired[Int($0)] }
                round.hits += hits.count
                for entry in HitEntries(
                    hits, of: changes[offset], changeBytes: 0, source: source, number: Int64(offset))
                {
                    round.entries += 1
                    precondition(!entry.value.isEmpty)
                }
            }
        }
        return round
    }

    /// The stage, from the append of all changes to the append of the last hit.
    private func whole(_ saved: [SavedSubscription], _ events: [[UInt8]], entries: Int) async throws -> Double {
        let log = MemoryLog()
        _ = try await log.createTopics(layout.fixedTopics)
        let writer = try await log.makeWriter()
        try await writer.append(saved.map { outgoing($0) })
        let stage = Task { await SubscriptionMatcher(log: log, layout: layout).run() }
        // A change without hits shows that the stage is at work.
        var first = Workload.changes(1, after: saved.count, spread)[0]
        first.after?.type = RecordType(trusted: "Nothing")
        first.sequence = CommitSequence(Int64(saved.count))
        try await writer.append([outgoing(ChangeEvent(first, store: Self.store).encoded())])
        let input = TopicPartition(layout.changes(.public))
        let group = SubscriptionMatcher.group(layout)
        while try await log.positions(of: group, [input])[input]?.offset != 1 {
            try await Task.sleep(for: .milliseconds(20))
        }
        let batch = events.map { outgoing($0) }
        let output = TopicPartition(layout.deliveries)
        let begun = now()
        try await writer.append(batch)
        while try await log.bounds(of: [output])[output]!.end < entries { try await Task.sleep(for: .milliseconds(1)) }
        let end = now()
        stage.cancel()
        await stage.value
        await log.close()
        return end - begun
    }

    private func outgoing(_ event: [UInt8]) -> OutgoingEntry {
        OutgoingEntry(
            TopicPartition(layout.changes(.public)), key: nil, value: event, timestamp: LogTimestamp(milliseconds: 1))
    }

    private func outgoing(_ saved: SavedSubscription) -> OutgoingEntry {
        OutgoingEntry(
            TopicPartition(layout.subscriptions),
            key: layout.subscriptionKey(saved.subscription.key, saved.saved),
            value: SubscriptionEvent(saved: saved, store: Self.store).encoded(),
            timestamp: LogTimestamp(milliseconds: 1))
    }
}

func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func seconds(_ work: () -> Void) -> Double {
    let start = now()
    work()
    return now() - start
}
