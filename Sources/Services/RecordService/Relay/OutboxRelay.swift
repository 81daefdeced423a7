import CloudMessages
import CloudModel
import Continuity
import EventLog
import Poison
import ProtocolBuffers
import RecordStore
import Stages
import Telemetry
import Timing
import Waiting

/// Publishes what the store has committed: in commit order, at least once, each row named by its sequence.
///
/// Published rows are kept for a while. At each start it publishes all that are there, under the same names, which readers
/// drop: after a crash, and where the log may have lost what it had acknowledged.
struct OutboxRelay: Sendable {
    /// Rows in one reading of the outbox, unless a test says otherwise.
    static let rowsMax = 2000
    /// Bytes of values after which a reading is full.
    static let bytesMax = 8 << 20
    static let published = Counter(
        "fanfare_record_service_outbox_rows_total", "Rows of the outbox that were published to the log.")
    static let failures = Counter(
        "fanfare_record_service_relay_failures_total", "Times that the relay failed and started again.")
    static let refusedRows = Counter(
        "fanfare_record_service_refused_rows_total",
        "Rows of the outbox that the log refused for good and that were set aside: 'fanfare poison list' names them.")

    let store: any RecordStore
    let layout: TopicLayout
    let log: any EventLog
    var now: @Sendable () -> Timestamp = Timestamp.wallClock
    /// The time after which topics are compared again while it runs; nil for never.
    var comparisonPause: Duration?
    /// Called after each comparison of store and log, with nil if they pass.
    var compared: @Sendable (IdentityMismatch?) -> Void = { _ in }
    /// The way in which published rows are kept.
    var keeping = OutboxKeeping.none
    /// The time after which the ends of the log are compared with those of before; nil for never.
    var lossPause: Duration?
    /// The rows in one reading of the outbox.
    var rowsMax = OutboxRelay.rowsMax
    /// The count of waiting rows.
    var backlog = OutboxBacklog(bound: OutboxTotals(rows: .max, bytes: .max))

    /// Publishes until the task is cancelled; after a failure it starts again from the first row that is not removed.
    func run() async {
        let judged = RelayIdentity.Judged()
        await persistently(failed: { error, pause in
            Self.failures.increment()
            Log.warning(
                "relay.failed", ["scope": "\(layout.scope)", "error": "\(error)", "pause": "\(pause)"])
        }) {
            let identity = try await reporting(judged) { try await relayIdentity.confirm(judged) }
            compared(nil)
            let plain = try await log.makeWriter()
            // Where no end is watched, nothing has to be counted.
            let counting = lossPause == nil ? nil : CountingWriter(plain)
            let writer: any LogWriter = counting ?? plain
            do {
                let watch = lossPause.map { tailWatch(every: $0, counting) }
                let ends = try await watch?.ends() ?? [:]
                let removal = OutboxRemoval(store: store, identity: identity, keeping: keeping)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    defer { group.cancelAll() }
                    group.addTask { try await removal.run() }
                    group.addTask { try await publish(identity, with: writer, removal) }
                    group.addTask {
                        try await reporting(judged) {
                            try await relayIdentity.watch(identity, judged)
                            throw StageRefusal("another relay has claimed the log: it is compared again")
                        }
                    }
                    if let watch { group.addTask { try await watchForLoss(watch, since: ends) } }
                    if let pause = comparisonPause { group.addTask { try await compare(identity, every: pause) } }
                    try await group.next()
                }
            } catch {
                await writer.close()
                throw error
            }
        }
    }

    private var relayIdentity: RelayIdentity { RelayIdentity(store: store, layout: layout, log: log, now: now) }

    /// Reports a mismatch. Records that were judged before an operator mends it do not count after that.
    private func reporting<Result>(
        _ judged: RelayIdentity.Judged, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as IdentityMismatch {
            judged.forget()
            compared(error)
            throw error
        }
    }

    /// Compares the topics with the record again and again.
    /// - Throws: `IdentityMismatch`, upon which the relay begins again and says so.
    private func compare(_ identity: ScopeIdentity, every pause: Duration) async throws {
        let topic = IdentityTopic(log: log, layout: layout)
        while true {
            try await Time.sleep(for: pause)
            // A topic that does not answer is compared the next time.
            guard let half = try? await topic.half() else { continue }
            let differences = IdentityDifference.between(identity, half)
            guard differences.isEmpty else { throw IdentityMismatch(layout.scope, differences) }
        }
    }

    private func tailWatch(every pause: Duration, _ writer: CountingWriter?) -> TailWatch {
        let topics = DatabaseScope.allCases.map(layout.changes) + [layout.deliveries, layout.pushAddresses]
        let partitions = topics.flatMap { topic in (0..<layout.partitions).map { TopicPartition(topic, $0) } }
        return TailWatch(log, partitions + [TopicPartition(layout.subscriptions)], pause: pause, writer: writer)
    }

    /// Waits until the log may have lost entries that it had acknowledged.
    /// - Throws: `StageRefusal`, upon which the relay begins again and publishes the kept rows once more.
    private func watchForLoss(_ watch: TailWatch, since ends: [TopicPartition: Int64]) async throws {
        let loss = try await watch.loss(since: ends)
        throw StageRefusal("\(loss): the rows of the outbox that are kept are published again")
    }

    private func publish(
        _ identity: ScopeIdentity, with writer: any LogWriter, _ removal: OutboxRemoval
    ) async throws {
        var identity = identity
        // Listening begins before the first look, so that no commit is missed.
        var changes = store.outboxChanges().makeAsyncIterator()
        let lost = try await publishLost(identity, with: writer, &changes)
        var last = CommitSequence.zero
        var named = LastSubscription(after: .zero)
        while true {
            let (after, known, earlier) = (last, identity, named)
            let (found, before) = try await backlog.look {
                try await store.read { reader in
                    try RelayIdentity.checkHalves(known, reader)
                    let rows = try reader.outbox(after: after, limit: rowsMax, bytesMax: Self.bytesMax)
                    // Another process may have removed rows that were published before this relay began.
                    let before = try LastSubscription(after: max(earlier.sequence, reader.lastRemovedSubscription()))
                    return ((rows, before), rows.isEmpty ? (OutboxTotals(), try reader.settledSequence()) : nil)
                }
            }
            var naming = before
            let rows = naming.filled(found)
            guard let newest = rows.last else {
                await changes.next()
                try Task.checkCancellation()
                continue
            }
            identity.published = max(identity.published, newest.sequence.rawValue)
            let record = relayIdentity.entry(identity, at: newest.time)
            let steps = RelayPlan.steps(rows.filter { !lost.contains($0) })
            if steps.isEmpty { try await writer.append([record]) }
            for (index, step) in steps.enumerated() {
                // The record goes out with the first of what it allows for.
                try await publish(step, beside: index == 0 ? [record] : [], with: writer)
                Self.published.increment(by: step.count)
                if index < steps.count - 1 { KillPoint.reach(.relayStepPublished) }
            }
            KillPoint.reach(.relayPublished)
            (last, named) = (newest.sequence, naming)
            removal.note(found, after: before, identity)
            backlog.published(found)
        }
    }

    // MARK: The start

    /// Publishes the versions that a repair has put into the outbox again, ahead of all rows, and says how far the
    /// subscription events and the addresses are, also for topics from before this was said and those that were
    /// recreated. That is true of the versions only behind them.
    /// - Returns: the versions, which are not published again in their rows' places.
    private func publishLost(
        _ identity: ScopeIdentity, with writer: any LogWriter, _ changes: inout AsyncStream<Void>.Iterator
    ) async throws -> LostVersions {
        let (lost, reached) = try await findLost(identity, &changes)
        let places = lost.places
        var next = 0
        while next < places.count {
            let start = next
            let (rows, count) = try await store.read { reader in
                try RelayIdentity.checkHalves(identity, reader)
                return try self.rows(of: places[start...], reader)
            }
            next += count
            if rows.isEmpty { continue }
            try await publish(rows, beside: [], with: writer)
            Self.published.increment(by: rows.count)
        }
        guard reached > .zero else { return lost }
        let partitions =
            [TopicPartition(layout.subscriptions)]
            + (0..<layout.partitions).map { TopicPartition(layout.pushAddresses, $0) }
        try await writer.append(partitions.map { self.reached(reached, in: $0, at: now()) })
        return lost
    }

    /// Looks for lost versions in the outbox, up to the last row that a repair has made: without a repair there is
    /// nothing to read.
    /// - Returns: them, and the sequence up to which all other events have been published.
    private func findLost(
        _ identity: ScopeIdentity, _ changes: inout AsyncStream<Void>.Iterator
    ) async throws -> (LostVersions, reached: CommitSequence) {
        let (bound, reached) = try await bounds(identity, &changes)
        var lost = LostVersions()
        while lost.last < bound {
            let after = lost.last
            let rows = try await store.read { reader in
                try RelayIdentity.checkHalves(identity, reader)
                return try reader.outbox(after: after, limit: rowsMax, bytesMax: Self.bytesMax)
            }
            if rows.isEmpty { break }
            lost.add(rows)
        }
        return (lost, reached)
    }

    /// Waits until the last row that a repair has made is settled, as the outbox has it only then.
    /// - Returns: that row, zero if it is not in the outbox any more; and the sequence up to which all events but lost
    ///   versions have been published.
    private func bounds(
        _ identity: ScopeIdentity, _ changes: inout AsyncStream<Void>.Iterator
    ) async throws -> (bound: CommitSequence, reached: CommitSequence) {
        while true {
            let found = try await store.read { reader -> (CommitSequence, CommitSequence)? in
                try RelayIdentity.checkHalves(identity, reader)
                let (last, settled) = (try LostVersions.lastRow(reader), try reader.settledSequence())
                guard last <= settled else { return nil }
                guard let first = try reader.outbox(after: .zero, limit: 1, bytesMax: 1).first else {
                    return (.zero, settled)
                }
                return (last < first.sequence ? .zero : last, CommitSequence(first.sequence.rawValue - 1))
            }
            if let found { return found }
            await changes.next(isolation: #isolation)
            try Task.checkCancellation()
        }
    }

    /// The rows of lost versions under the versions' own sequences: the entries have the names that the lost ones had,
    /// and readers that drop entries up to their last sequence drop none of the rows behind them.
    /// - Returns: as many as fill a reading, and the number of places that were looked at.
    private func rows(
        of places: ArraySlice<LostVersions.Place>, _ reader: any StoreReader
    ) throws -> (rows: [OutboxRow], count: Int) {
        var rows: [OutboxRow] = []
        var (count, bytes) = (0, 0)
        for place in places.prefix(rowsMax) where bytes < Self.bytesMax {
            count += 1
            let after = CommitSequence(place.row.rawValue - 1)
            guard var row = try reader.outbox(after: after, limit: 1, bytesMax: 1).first, row.sequence == place.row
            else { continue }
            row.sequence = place.own
            bytes += row.value?.count ?? 0
            rows.append(row)
        }
        return (rows, count)
    }

    // MARK: Steps

    /// Publishes a step. Rows that the log refuses permanently are set aside, and the others go on. A topic with a
    /// smaller limit than configured refuses nothing permanently: its operator corrects it (`fanfare topics init`), and
    /// the waiting rows come.
    private func publish(
        _ rows: [OutboxRow], beside record: [OutgoingEntry], with writer: any LogWriter
    ) async throws {
        do {
            try await writer.append(record + rows.flatMap { entries($0) })
        } catch LogError.entryTooLarge(_, _, let maximum) where maximum >= Limits.messageBytesMax {
            if !record.isEmpty { try await writer.append(record) }
            for row in rows { try await publishAlone(row, with: writer) }
        }
    }

    private func publishAlone(_ row: OutboxRow, with writer: any LogWriter) async throws {
        do {
            try await writer.append(entries(row))
        } catch let error as LogError {
            guard case .entryTooLarge(let partition, _, let maximum) = error, maximum >= Limits.messageBytesMax else {
                throw error
            }
            try await setAside(row, partition, error)
            if row.destination == .subscriptions || row.destination == .pushAddresses {
                try await writer.append([reached(row.sequence, in: self.partition(of: row), at: row.time)])
            }
        }
    }

    /// Counts, logs and lists a row that is not published.
    private func setAside(_ row: OutboxRow, _ partition: TopicPartition, _ error: LogError) async throws {
        Self.refusedRows.increment()
        Log.error(
            "relay.row.refused",
            [
                "scope": "\(layout.scope)", "sequence": "\(row.sequence)", "partition": "\(partition)",
                "error": "\(error)",
            ])
        let place = PoisonPlace(
            stage: .relay, topic: layout.shortName(partition.topic), incarnation: store.incarnation,
            partition: partition.partition, offset: row.sequence.rawValue)
        try await PoisonLedger(log: log, layout: layout, marks: nil, now: now).noteUnreadable(place, "\(error)")
    }

    // MARK: Entries

    /// The entries of a row. Before a version of a subscription, or an address, is removed, an entry records that it had
    /// come, as others may wait for it.
    private func entries(_ row: OutboxRow) -> [OutgoingEntry] {
        let entry = entry(row)
        guard row.destination == .subscriptions || row.destination == .pushAddresses, row.value == nil else {
            return [entry]
        }
        return [reached(row.sequence, in: entry.partition, at: row.time), entry]
    }

    /// The entry of a row.
    func entry(_ row: OutboxRow) -> OutgoingEntry {
        OutgoingEntry(
            partition(of: row), key: row.key, value: row.value, headers: headers(of: row),
            timestamp: LogTimestamp(row.time))
    }

    /// The entry that says how far the events of a partition are.
    private func reached(
        _ sequence: CommitSequence, in partition: TopicPartition, at time: Timestamp
    ) -> OutgoingEntry {
        OutgoingEntry(
            partition, key: TopicLayout.reachedKey,
            value: ReachedMessage(store: store.incarnation, sequence: sequence.rawValue).encoded(),
            timestamp: LogTimestamp(time))
    }

    private func partition(of row: OutboxRow) -> TopicPartition {
        switch row.destination {
        case .changes(let database):
            return TopicPartition(layout.changes(database), layout.partition(of: row.key))
        case .subscriptions: return TopicPartition(layout.subscriptions)
        case .deliveries: return TopicPartition(layout.deliveries, layout.partition(of: row.key))
        case .pushAddresses: return layout.pushAddressPartition(ofKey: row.key)
        }
    }

    /// The trace of the request that made a change. It is read only if traces are on, as only the row has it.
    private func traceparent(of row: OutboxRow) -> String? {
        guard Tracer.shared.isOn, case .changes = row.destination, let event = row.value else { return nil }
        return (try? ChangeEvent(decoding: event)).flatMap { TraceContext($0.trace) }?.traceparent
    }

    private func headers(of row: OutboxRow) -> [LogHeader] {
        let type =
            switch row.destination {
            case .changes: "change"
            case .subscriptions: "subscription"
            case .deliveries: "device"
            case .pushAddresses: "push-address"
            }
        return OperatorHeaders.make(
            type: type, source: "\(SourceID.store(store.incarnation))", id: "\(row.sequence)",
            traceparent: traceparent(of: row))
            + [LogHeader("fanfare-sequence", "\(row.sequence)")]
    }
}
