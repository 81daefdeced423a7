import CloudMessages
import CloudModel
import EventLog
import Poison
import ProtocolBuffers

/// Makes changes into the notifications that they call for, partition after partition.
struct ChangeReading {
    let plan: AuditPlan
    let frontier: Frontier
    let history: SubscriptionHistory
    let layout: TopicLayout
    /// The first sequence that each partition still holds.
    private(set) var firstKept: [TopicPartition: CommitSequence] = [:]
    /// The time from which on every partition has all its changes; nil where nothing was removed yet.
    private(set) var since: Timestamp?
    /// The stores whose changes these are, as far as they are in the range.
    private(set) var stores: Set<UInt64> = []
    private var position = LogPosition(offset: 0)
    private var partition = TopicPartition(TopicName("changes"))
    private var isTrimmed = false

    init(plan: AuditPlan, frontier: Frontier, history: SubscriptionHistory, layout: TopicLayout) {
        self.plan = plan
        self.frontier = frontier
        self.history = history
        self.layout = layout
    }

    /// Goes on to a partition.
    mutating func begin(_ partition: TopicPartition, _ held: OffsetBounds) {
        self.partition = partition
        position = LogPosition(offset: held.start)
        isTrimmed = held.start > 0
        firstKept[partition] = isTrimmed ? CommitSequence(.max) : .zero
    }

    /// Takes a change. One that cannot be read calls for nothing: stage 1 sets it aside.
    mutating func take(_ entry: LogEntry, _ expected: inout ExpectedHits) {
        guard let value = entry.value, let event = try? ChangeEvent(decoding: value), let name = event.source?.position,
            let change = try? event.change(), position.advance(to: name)
        else { return }
        if isTrimmed, firstKept[partition] == CommitSequence(.max) {
            firstKept[partition] = change.sequence
            since = max(since ?? change.committed, change.committed)
        }
        guard plan.isInRange(change.committed) else { return }
        stores.insert(name.source.incarnation)
        let fact = ExpectedHits.Fact(
            sequence: change.sequence, partition: partition, committed: change.committed,
            isMatched: frontier.isMatched(entry.offset, of: partition, layout),
            isPastSetAside: frontier.isSetAside(.backfill, at: entry.offset, of: partition, layout))
        // A retried entry is new under another name: no backfill has it.
        let pasts =
            name.source == .store(name.source.incarnation)
            ? history.pasts(of: change, store: name.source.incarnation) : []
        expected.add(fact, history.hits(of: change), pasts, of: history)
    }
}
