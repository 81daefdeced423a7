package import CloudMessages
import CloudModel
package import EventLog
import ProtocolBuffers
package import Stages
import Telemetry

/// Stage 1: reads changes as a member of a group, matches each against all subscriptions, and writes the hits to
/// `deliveries` by user. `DESIGN.md` says why it loses and doubles nothing.
package struct SubscriptionMatcher: Sendable {
    static let matched = Counter("fanfare_subscription_matcher_changes_total", "Changes that were matched.")
    static let repeats = Counter(
        "fanfare_subscription_matcher_repeated_changes_total", "Changes that came again and were dropped.")
    static let hits = Counter("fanfare_subscription_matcher_hits_total", "Subscriptions that fired.")
    static let malformed = Counter(
        "fanfare_subscription_matcher_malformed_changes_total", "Changes that could not be read and were set aside.")
    static let restarts = Counter(
        "fanfare_subscription_matcher_restarts_total", "Times that the stage failed and started again.")

    static let partitionRestarts = Counter(
        "fanfare_subscription_matcher_partition_restarts_total",
        "Times that the work on one partition failed and started again, while the others went on.")

    /// Changes that go to a thread together.
    private static let changesMax = 64

    private let log: any EventLog
    private let layout: TopicLayout
    private let poison: PoisonLedger?

    /// Describes the stage of one container's environment.
    /// - Parameter poison: what knows the entries that are passed by; nil, as in tests, knows none.
    package init(log: any EventLog, layout: TopicLayout, poison: PoisonLedger? = nil) {
        self.log = log
        self.layout = layout
        self.poison = poison
    }

    /// The group whose members share the partitions of `changes.*`.
    package static func group(_ layout: TopicLayout) -> GroupName { GroupName("\(layout.prefix)subscription-matcher") }

    /// Matches until the task is cancelled; every failure starts it again from the committed positions.
    package func run() async {
        await persistently(failed: { error, pause in
            Self.restarts.increment()
            Log.warning("match.failed", ["scope": "\(layout.scope)", "error": "\(error)", "pause": "\(pause)"])
        }) {
            try await runOnce()
        }
    }

    private func runOnce() async throws {
        try await poison?.waitUntilReady()
        let topics = DatabaseScope.allCases.map(layout.changes)
        let described = try await log.describeTopics(topics)
        let subscriptions = SubscriptionFollower(
            log: log, topic: layout.subscriptions,
            poison: poison?.watch(.table, TopicPartition(layout.subscriptions), incarnation: 0))
        let committer = PositionCommitter()
        try await log.withWriter { writer in
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await subscriptions.run() }
                group.addTask { try await match(subscriptions, writer, committer, topics, described) }
                try await group.next()
            }
        }
    }

    /// Joins the group once the table is as full as the topic was, and works on what it is given.
    private func match(
        _ subscriptions: SubscriptionFollower, _ writer: any LogWriter, _ committer: PositionCommitter,
        _ topics: [TopicName], _ described: [TopicName: TopicDescription]
    ) async throws {
        try await subscriptions.waitForEnd()
        let membership = try await log.join(Self.group(layout), topics: topics)
        let stage = PartitionedStage(
            work: { partition, membership in
                guard let incarnation = described[partition.topic]?.incarnation else {
                    throw LogError.unknownTopic(partition.topic.rawValue)
                }
                let source = SourceID(
                    origin: layout.shortName(partition.topic), incarnation: incarnation, partition: partition.partition)
                try await work(partition, source, membership, subscriptions, writer, committer)
            },
            ended: { partitions, membership in try await committer.flush(partitions, membership) },
            failed: { partition, error, pause in
                Self.partitionRestarts.increment()
                Log.warning(
                    "match.partition.failed", ["partition": "\(partition)", "error": "\(error)", "pause": "\(pause)"])
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await stage.run(membership) }
            group.addTask { try await committer.run(membership) }
            try await group.next()
        }
    }

    /// Works on one partition from its committed position on.
    private func work(
        _ partition: TopicPartition, _ source: SourceID, _ membership: any LogMembership,
        _ subscriptions: SubscriptionFollower, _ writer: any LogWriter, _ committer: PositionCommitter
    ) async throws {
        var position = try await startingPosition(partition, membership)
        let follower = try await membership.start(partition, from: position.offset)
        var outputs = MatchOutputs(source: source, layout: layout)
        let watch = poison?.watch(.match, partition, incarnation: source.incarnation)
        while true {
            let batch = try await follower.next()
            for first in stride(from: 0, to: batch.entries.count, by: Self.changesMax) {
                let entries = batch.entries[first..<min(first + Self.changesMax, batch.entries.count)]
                var changes: [(change: Change, entry: LogEntry)] = []
                for entry in entries {
                    // Not to be read, a repeat, or set aside.
                    guard let change = try await change(of: entry, source, &position, watch) else { continue }
                    changes.append((change, entry))
                }
                for (change, _) in changes where !subscriptions.isReady(for: change) {
                    try await subscriptions.wait(for: change)
                }
                var done = 0
                while done < changes.count {
                    let met = changes[done...].map { ($0.change, $0.entry.offset) }
                    let hits = await subscriptions.hits(of: met, watch)
                    for (found, (change, entry)) in zip(hits, changes[done...]) where !found.isEmpty {
                        try await write(found, of: change, entry, source, to: &outputs, writer)
                    }
                    Self.matched.increment(by: hits.count)
                    done += hits.count
                }
            }
            let rest = outputs.take()
            if !rest.isEmpty { try await writer.append(rest) }
            position.offset = batch.nextOffset
            committer.note(position, of: partition)
        }
    }

    /// Makes the entries of one change's hits; writes what is full.
    private func write(
        _ hits: [SavedSubscription], of change: Change, _ entry: LogEntry, _ source: SourceID,
        to outputs: inout MatchOutputs, _ writer: any LogWriter
    ) async throws {
        Self.hits.increment(by: hits.count)
        let entries = HitEntries(
            hits, of: change, changeBytes: entry.value?.count ?? 0, source: source, offset: entry.offset)
        for made in entries {
            // One change may hit thousands, each with a megabyte of fields.
            if outputs.isFull { try await writer.append(outputs.take()) }
            outputs.add(made, of: change, at: entry.offset)
        }
    }

    private func startingPosition(
        _ partition: TopicPartition, _ membership: any LogMembership
    ) async throws -> LogPosition {
        if let committed = try await membership.committed([partition])[partition] { return committed }
        return LogPosition(offset: try await log.bounds(of: [partition])[partition]?.start ?? 0)
    }

    /// The change that an entry tells of; nil for a repeat, for what is set aside, and for what cannot be read.
    private func change(
        of entry: LogEntry, _ source: SourceID, _ position: inout LogPosition, _ watch: PoisonWatch?
    ) async throws -> Change? {
        do {
            let met = try watch.meet(entry.offset) { _ in
                guard let value = entry.value else { throw MalformedMessage("a change without a value") }
                let event = try ChangeEvent(decoding: value)
                guard let name = event.source?.position else { throw MalformedMessage("a change without a source") }
                return (change: try event.change(), name: name)
            }
            guard let met else { return nil }
            if position.advance(to: met.name) { return met.change }
            Self.repeats.increment()
        } catch {
            // Poison is set aside: it stays where it is in the topic, and is counted and named here.
            Self.malformed.increment()
            Log.error(
                "change.malformed",
                ["source": "\(source)", "offset": entry.offset, "error": "\(error)"])
            let place = PoisonPlace(
                stage: .match, topic: source.origin, incarnation: source.incarnation, partition: source.partition,
                offset: entry.offset)
            try await poison?.noteUnreadable(place, "\(error)")
        }
        return nil
    }
}
