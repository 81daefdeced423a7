import CloudMessages
import CloudModel
import EventLog
import Matching
import Poison
import ProtocolBuffers
import Stages
import Telemetry
import Waiting

/// Delivers one partition's share of the backfills of subscriptions: hits of changes before a subscription, then a mark
/// at the end. All backfills of a user are matched in one pass over the partition; users take turns.
struct BackfillWorker {
    static let examined = Counter(
        "fanfare_subscription_matcher_past_changes_total",
        "Changes that were matched once more for a user's backfills.")
    static let shares = Counter(
        "fanfare_subscription_matcher_past_shares_total",
        "Partitions' shares of subscriptions' backfills that were delivered.")
    static let exhausted = Counter(
        "fanfare_subscription_matcher_past_exhausted_total",
        "Passes over the backfills of a user whose rest was left out, as the day's budget was used up.")

    /// Bytes of the budget after which another user has its turn.
    private static let turnBytes = 64 << 10

    let run: MatchRun
    let partition: TopicPartition
    /// The database whose changes the partition has.
    let database: DatabaseScope
    /// The partition as the source of hits of backfills. Their names are changes' sequences.
    let source: SourceID
    let watch: PoisonWatch?
    let progress: PartitionPosition
    private var reader: PastReader
    private var pace = BackfillPace()

    /// Describes the work beside that on a partition's new changes.
    init(_ run: MatchRun, _ partition: TopicPartition, incarnation: UInt64, _ progress: PartitionPosition) {
        self.run = run
        self.partition = partition
        self.progress = progress
        reader = PastReader(run.log, partition)
        database = DatabaseScope.allCases.first { run.layout.changes($0) == partition.topic } ?? .public
        source = SourceID(
            origin: DeliveryEntry.pastOrigin(database), incarnation: incarnation, partition: partition.partition)
        watch = run.poison?.watch(.backfill, partition, incarnation: incarnation)
    }

    /// Works until the task is cancelled or something fails.
    mutating func work() async throws {
        defer { reader.close() }
        var behind = LanesBehind()
        while true {
            await fillLanes()
            let reached = run.subscriptions.reached
            behind.advance(to: reached)
            if let lane = progress.past.next(except: behind.lanes) {
                if try await !takeTurn(lane, reached) { behind.insert(lane.id) }
            } else {
                try await run.subscriptions.waitForBackfill(
                    in: database, after: progress.past.begun, orBeyond: behind.lanes.isEmpty ? nil : behind.reached)
            }
        }
    }

    /// Takes the next subscriptions into lanes, as long as there are lanes for them.
    private func fillLanes() async {
        while true {
            let begun = progress.past.begun
            for (store, items) in await run.subscriptions.nextBackfills(in: database, after: begun)
            where !items.isEmpty {
                progress.notePast { past in
                    for item in items {
                        let lane = PastLane.id(of: item.key.user, store: store)
                        guard past.begin(item.created, in: lane, store: store) else { return }
                    }
                }
            }
            if progress.past.begun == begun { return }
        }
    }

    /// Goes on with the pass of a lane, or begins one with all its open backfills.
    /// - Parameter reached: the sequence that the table has reached.
    /// - Returns: false if the table may lack subscriptions of the lane, which a former owner knew.
    private mutating func takeTurn(_ lane: PastLane, _ reached: CommitSequence) async throws -> Bool {
        let begun = progress.past.begun
        guard let all = await run.subscriptions.backfills(in: lane, of: database, begun: begun) else {
            guard reached >= begun.values.max() ?? .zero else { return false }
            let end = max(lane.done, lane.pass?.end ?? .zero)
            progress.notePast { $0.endPass(of: lane.id, at: end, isLast: true) }
            return true
        }
        guard reached >= begun[all.store] ?? .zero else { return false }
        progress.notePast { $0.note(store: all.store, of: lane.id) }
        let end = lane.pass?.end ?? all.last
        let pass = all.upTo(end, where: isConcerned)
        if !pass.alive.isEmpty, try await !match(pass, lane, end) { return true }
        reader.close()
        try await mark(pass, end)
        KillPoint.reach(.pastDone)
        Self.shares.increment(by: pass.marks.count)
        progress.notePast { $0.endPass(of: lane.id, at: end, isLast: all.last <= end) }
        return true
    }

    /// A user's private database is one partition; the others have no share.
    private func isConcerned(_ saved: SavedSubscription) -> Bool {
        database != .private
            || run.layout.partition(of: run.layout.userKey(saved.subscription.key.user)) == partition.partition
    }

    /// Reads the partition up to the first entry that was committed after the last subscription, which comes: at the
    /// latest that is the boundary that was committed with it.
    /// - Returns: false if the turn is over before the pass is.
    private mutating func match(_ pass: LaneBackfills, _ lane: PastLane, _ end: CommitSequence) async throws -> Bool {
        try await reader.begin(lane, from: pass.from)
        let slice = PastSlice(backfills: pass, source: source, watch: watch)
        var used = 0
        while used < Self.turnBytes {
            let entries = try await reader.entries(PastSlice.entriesMax)
            let room = progress.past.room(in: lane.id)
            let found = await run.subscriptions.background.run { _ in slice.hits(in: entries, room: room) }
            try await write(found, of: pass, end, slice)
            reader.skip(found.count)
            used += found.used
            progress.notePast { past in
                past.use(found.used, in: lane.id)
                past.note(reader.next, in: lane.id, end: end)
            }
            try await pace.take(found.used)
            if found.isOver || found.leftOut != nil { return true }
            try Task.checkCancellation()
        }
        return false
    }

    /// Writes the hits of a part of a pass, and the entry for the rest where the budget ends.
    private func write(
        _ found: PastSlice.Found, of pass: LaneBackfills, _ end: CommitSequence, _ slice: PastSlice
    ) async throws {
        Self.examined.increment(by: found.examined)
        try await write(found.entries, of: pass)
        if let change = found.leftOut {
            Self.exhausted.increment()
            try await write(slice.rest(from: change, end: end), of: pass)
        }
        if !found.entries.isEmpty || found.leftOut != nil { KillPoint.reach(.pastDelivered) }
    }

    private func write(_ hits: [HitEntries.Encoded], of pass: LaneBackfills) async throws {
        guard !hits.isEmpty else { return }
        let time = pass.from ?? Timestamp(milliseconds: 0)
        try await run.writer.append(hits.map { outgoing($0.value, to: $0.user, id: "\(pass.last)", at: time) })
    }

    /// Writes the marks of a pass: one for all subscriptions of a user.
    private func mark(_ pass: LaneBackfills, _ end: CommitSequence) async throws {
        let name = SourcePosition(source: source, offset: end.rawValue)
        let time = Timestamp(milliseconds: WallClock.milliseconds)
        let users = Dictionary(grouping: pass.marks, by: \.key.user).sorted { $0.key < $1.key }
        let entries = users.map { user, marks in
            let created = marks.map(\.created.rawValue)
            let entry = DeliveryEntry(
                source: SourcePositionMessage(name), user: user.rawValue, time: time.milliseconds,
                event: created.count == 1
                    ? .backfillShareDone(BackfillShareDone(created: created[0], partition: partition.partition))
                    : .backfillSharesDone(BackfillSharesDone(created: created, partition: partition.partition)))
            return outgoing(entry.encoded(), to: user, id: "\(end)", at: time)
        }
        if !entries.isEmpty { try await run.writer.append(entries) }
    }

    private func outgoing(
        _ value: [UInt8], to user: UserRecordName, id: String, at time: Timestamp
    ) -> OutgoingEntry {
        OutgoingEntry(
            run.layout.deliveries(of: user), key: run.layout.userKey(user), value: value,
            headers: OperatorHeaders.make(type: "past", source: "\(source)", id: id), timestamp: LogTimestamp(time))
    }
}
