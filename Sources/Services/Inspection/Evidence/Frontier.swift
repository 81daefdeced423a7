import CloudMessages
import CloudModel
import EventLog
import Poison
import ProtocolBuffers

/// The places that the stages have come to: what must be in journals by now, and what may be.
struct Frontier {
    /// A change's hits for a user.
    struct Pending: Hashable {
        var user: UserRecordName
        var change: CommitSequence
    }

    /// The next offsets of stage 1 in the partitions of changes.
    private(set) var matched: [TopicPartition: Int64] = [:]
    /// The creations of the last subscriptions whose share of a partition's backfill is delivered, by store.
    private(set) var pastDone: [TopicPartition: [UInt64: CommitSequence]] = [:]
    /// The end offsets of `deliveries`, read after that: the hits of matched changes are below.
    private(set) var ends: [Int32: Int64] = [:]
    /// The next offsets of stage 2: what lies below is in journals.
    private(set) var delivered: [Int32: Int64] = [:]
    /// The incarnation of `deliveries`.
    private(set) var incarnation: UInt64?
    /// Hits that stage 2 has not come to, or that are set aside.
    private(set) var pending: Set<Pending> = []
    /// The creations of subscriptions of which stage 2 has not come to a mark that ends a share of the past.
    private(set) var pendingMarks: Set<CommitSequence> = []
    /// Changes and versions of subscriptions that are set aside: the topic and the offset.
    private var setAside: Set<PoisonPlace> = []
    /// The number of changes and deliveries that the stages have not come to.
    private(set) var behind: Int64 = 0

    /// Asks how far the stages are, in the order that makes the answers hold together.
    static func look(
        at evidence: LogEvidence, _ includes: (UserRecordName) -> Bool
    ) async throws -> Frontier {
        var frontier = Frontier()
        let layout = evidence.layout
        for place in try await PoisonLedger.table(on: evidence.log, layout).setAside.map(\.place) {
            frontier.setAside.insert(Self.plain(place))
        }
        for (partition, position) in try await evidence.committed(evidence.groups.matching, evidence.changes) {
            frontier.matched[partition] = position.offset
            for done in position.seen.values where done.source.origin == SourceID.pastDoneOrigin {
                frontier.pastDone[partition, default: [:]][done.source.incarnation] = CommitSequence(done.offset)
            }
        }
        let deliveries = try await evidence.readers(of: evidence.deliveries)
        let committed = try await evidence.committed(evidence.groups.delivery, evidence.deliveries)
        frontier.incarnation = try await evidence.log.describeTopics([layout.deliveries])[layout.deliveries]?
            .incarnation
        for (partition, entries) in deliveries {
            let held = entries.bounds
            let next = min(max(committed[partition]?.offset ?? held.start, held.start), held.end)
            frontier.ends[partition.partition] = held.end
            frontier.delivered[partition.partition] = next
            frontier.behind += held.end - next
            var waiting = frontier
            try await evidence.read(partition, from: next, to: held.end) { waiting.note($0, includes) }
            for place in frontier.setAside where place.stage == .deliver && place.partition == partition.partition {
                guard place.offset >= held.start else { continue }
                let entry = try await evidence.entry(from: place.offset, to: place.offset + 1, of: entries)
                if let entry { waiting.note(entry, includes) }
            }
            frontier = waiting
        }
        return frontier
    }

    /// Returns true if a change's hits must be in `deliveries` by now.
    func isMatched(_ offset: Int64, of partition: TopicPartition, _ layout: TopicLayout) -> Bool {
        offset < matched[partition] ?? 0
            && !isSetAside(.match, layout.shortName(partition.topic), partition.partition, offset)
    }

    /// Returns true if a version of a subscription was set aside by stage 1.
    func isSetAside(_ version: SubscriptionHistory.Version, _ layout: TopicLayout) -> Bool {
        isSetAside(.table, layout.shortName(layout.subscriptions), 0, version.offset)
    }

    /// Returns true if the hits that something was made from were in `deliveries` when its ends were asked for.
    func isKnown(_ name: SourcePosition) -> Bool {
        name.source.incarnation != incarnation || name.offset < ends[name.source.partition] ?? 0
    }

    /// This frontier, for changes that were read at an earlier one: later changes are unknown.
    func judging(asAt earlier: Frontier) -> Frontier {
        var frontier = self
        frontier.ends = earlier.ends
        frontier.incarnation = earlier.incarnation
        return frontier
    }

    /// Returns true if a change was set aside by one of those who read changes.
    func isSetAside(
        _ stage: PoisonPlace.Stage, at offset: Int64, of partition: TopicPartition, _ layout: TopicLayout
    ) -> Bool {
        isSetAside(stage, layout.shortName(partition.topic), partition.partition, offset)
    }

    /// Returns true if stage 1 has delivered a partition's share of a subscription's backfill.
    func isPastDelivered(_ past: SubscriptionHistory.Past, of partition: TopicPartition) -> Bool {
        pastDone[partition]?[past.store] ?? .zero >= past.created
    }

    private func isSetAside(_ stage: PoisonPlace.Stage, _ topic: String, _ partition: Int32, _ offset: Int64) -> Bool {
        setAside.contains(
            PoisonPlace(stage: stage, topic: topic, incarnation: 0, partition: partition, offset: offset))
    }

    /// The place without its incarnation: an entry that was set aside in a former topic excuses little in this one.
    private static func plain(_ place: PoisonPlace) -> PoisonPlace {
        var place = place
        place.incarnation = 0
        return place
    }

    private mutating func note(_ entry: LogEntry, _ includes: (UserRecordName) -> Bool) {
        guard let message = try? entry.value.map({ try DeliveryEntry(reading: $0) }) else { return }
        let user = UserRecordName(trusted: message.user)
        guard includes(user) else { return }
        switch message.event {
        case .hits(let hits)?: pending.insert(Pending(user: user, change: CommitSequence(hits.change)))
        case .backfillShareDone(let share)?: pendingMarks.insert(CommitSequence(share.created))
        case .backfillSharesDone(let shares)?: pendingMarks.formUnion(shares.created.map { CommitSequence($0) })
        default: break
        }
    }
}
