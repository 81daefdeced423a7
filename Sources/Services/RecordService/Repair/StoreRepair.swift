import CloudMessages
package import CloudModel
package import Continuity
package import EventLog
import ProtocolBuffers
import RecordStore
import Telemetry

/// The store's part of a repair of halves that fail the identity check. Rows that it adds wait in the outbox until the
/// relay's check passes.
package struct StoreRepair: Sendable {
    /// Rows in one transaction, unless a test says otherwise.
    static let step = 500

    let service: RecordService
    let log: any EventLog
    /// The rows in one transaction.
    var step = StoreRepair.step
    private var identityTopic: IdentityTopic { IdentityTopic(log: log, layout: service.layout) }

    /// - Parameter service: beside the process that owns the store, or alone.
    package init(_ service: RecordService, log: any EventLog) {
        self.service = service
        self.log = log
    }

    /// Compares store and log as the relay does.
    /// - Returns: what differs, and the highest sequence that the log may have.
    package func differences() async throws -> (found: [IdentityDifference], published: Int64) {
        let (store, now) = (service.store, service.now)
        let half = try await identityTopic.half()
        guard half.topics[service.layout.shortName(service.layout.identity)] != nil else {
            return ([.topicLost(service.layout.shortName(service.layout.identity))], 0)
        }
        let record = try await identityTopic.recordAsOwner(at: LogTimestamp(now()))
        let (copy, last, claims, unfinished) = try await store.read {
            (
                try RelayIdentity.copy($0), try $0.settledSequence().rawValue, try RelayIdentity.claims($0),
                try RelayIdentity.unfinishedWork($0)
            )
        }
        let relay = RelayIdentity(store: store, layout: service.layout, log: log, now: now)
        let isUsed = record == nil && copy == nil ? try await relay.isLogUsed() : false
        let found =
            (record?.work == nil ? unfinished.map { [$0] } ?? [] : [])
            + IdentityDifference.between(
                record: record, copy: copy, log: half, store: store.incarnation, last: last, claims: Set(claims),
                isLogUsed: isUsed)
        let published = max(record?.published ?? 0, copy?.published ?? 0)
        return (found, record == nil && isUsed ? max(published, try await highestSequence()) : published)
    }

    /// The steps of a repair that was begun and not finished.
    package func unfinished() async throws -> [RepairPlan.Step] {
        let text = try await service.store.read { try $0.position(RelayIdentity.repairReader) } ?? []
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap {
            RepairPlan.Step(text: String($0))
        }
    }

    /// Notes the started work and its steps: until `keepIdentity` nothing is published and no stage begins, even if it is
    /// interrupted.
    package func begin(_ work: ScopeIdentity.Work, _ steps: [RepairPlan.Step] = []) async throws {
        try await service.store.write(in: .whole) { try RelayIdentity.begin(work, steps, $0) }
        // Without a record no stage begins anyway.
        guard var identity = try await identityTopic.recordAsOwner(at: LogTimestamp(service.now())) else { return }
        identity.work = work
        identity.owner = .random(in: 1 ... .max)
        try await claim(identity)
    }

    /// Writes an identity record, with a claim that is the store's.
    private func claim(_ identity: ScopeIdentity) async throws {
        try await service.store.write(in: .whole) { try RelayIdentity.keep(claim: identity.owner, $0) }
        let entry = identityTopic.entry(identity, at: LogTimestamp(service.now()))
        try await log.withWriter { try await $0.append([entry]) }
    }

    /// Leaves out sequences; sync tokens that name them expire.
    package func skipSequences(through sequence: Int64) async throws {
        try await service.store.write(in: .whole) { try LostFutures.skip(through: CommitSequence(sequence), $0) }
    }

    /// Writes boundaries into recreated topics of changes: open backfills end at them, as their own boundaries are
    /// gone.
    package func publishBoundaries(in topics: [String]) async throws {
        for database in DatabaseScope.allCases
        where topics.contains(service.layout.shortName(service.layout.changes(database))) {
            try await service.commit(in: .whole) { try $0.publishBoundaries(in: database) }
        }
    }

    /// Writes log and store as they are into the identity record: the last step.
    package func keepIdentity() async throws {
        let (_, published) = try await differences()
        let store = service.store
        let last = try await store.read { try $0.settledSequence().rawValue }
        let identity = ScopeIdentity(
            store: store.incarnation, log: try await identityTopic.half(), published: min(published, last),
            owner: .random(in: 1 ... .max))
        try await claim(identity)
        try await store.write(in: .whole) { transaction in
            try RelayIdentity.keep(identity, transaction)
            try transaction.setPosition([], of: RelayIdentity.repairReader)
        }
    }

    /// Sets the positions in `commands`.
    /// - Parameter atEnd: false starts at the first entry; applied commands stay known.
    package func resetCommands(atEnd: Bool) async throws {
        let layout = service.layout
        let partitions = (0..<layout.partitions).map { TopicPartition(layout.commands, $0) }
        let bounds = try await log.bounds(of: partitions)
        let incarnation = try await log.incarnation(of: layout.commands)
        try await service.store.write(in: .whole) { transaction in
            for partition in partitions {
                let reader = CommandConsumer.reader(of: partition)
                var position = try transaction.position(reader).map { try PositionMessage(decoding: $0).position }
                position = position ?? LogPosition(offset: 0)
                position?.incarnation = incarnation
                position?.offset = atEnd ? bounds[partition]?.end ?? 0 : bounds[partition]?.start ?? 0
                if let position { try transaction.setPosition(PositionMessage(position).encoded(), of: reader) }
            }
        }
    }

    /// The changes in the log that an older copy of the store does not have.
    package struct GivenUp: Hashable, Sendable {
        /// The number of changes.
        package var changes = 0
        /// The number of records that they are about.
        package var records = 0
        /// The times of the first and of the last one; nil where there is none.
        package var times: ClosedRange<Timestamp>?
    }

    /// Counts the changes above a sequence that the log has from this store.
    package func changes(after last: Int64) async throws -> GivenUp {
        let layout = service.layout
        var found = GivenUp()
        var seen: Set<Int64> = []
        var records: Set<RecordID> = []
        for database in DatabaseScope.allCases {
            for number in 0..<layout.partitions {
                try await log.readToEnd(of: TopicPartition(layout.changes(database), number)) { entry in
                    guard let event = try? ChangeEvent(decoding: entry.value ?? []), !event.boundary,
                        let name = event.source?.position, name.source == .store(service.store.incarnation),
                        name.offset > last, let change = try? event.change(), seen.insert(name.offset).inserted
                    else { return }
                    found.changes += 1
                    if let record = change.matched {
                        records.insert(RecordID(database: change.database, zone: record.zone, name: record.name))
                    }
                    let times = found.times ?? change.committed...change.committed
                    found.times =
                        min(times.lowerBound, change.committed)...max(times.upperBound, change.committed)
                }
            }
        }
        found.records = records.count
        return found
    }

    /// The highest sequence that changes and device events name, where no record says it.
    private func highestSequence() async throws -> Int64 {
        let layout = service.layout
        let topics = DatabaseScope.allCases.map(layout.changes) + [layout.deliveries]
        var highest: Int64 = 0
        let partitions = topics.flatMap { topic in (0..<layout.partitions).map { TopicPartition(topic, $0) } }
        for partition in partitions + [TopicPartition(layout.subscriptions)] {
            try await log.readToEnd(of: partition) { entry in
                guard let header = entry.headers.first(where: { $0.name == "fanfare-sequence" }),
                    let sequence = Int64(String(decoding: header.value, as: UTF8.self))
                else { return }
                highest = max(highest, sequence)
            }
        }
        return highest
    }
}

extension EventLog {
    /// Reads all entries of a partition: it writes an entry of its own and reads up to it, as the end that a broker
    /// reports may be stale.
    func readToOwnEntry(
        of partition: TopicPartition, key: [UInt8], _ body: (LogEntry) throws -> Void
    ) async throws {
        let own = Array("repair \(UInt64.random(in: 0 ... .max))".utf8)
        try await withWriter { writer in
            try await writer.append([
                OutgoingEntry(
                    partition, key: key, value: own, timestamp: LogTimestamp(milliseconds: WallClock.milliseconds))
            ])
        }
        guard let bounds = try await bounds(of: [partition])[partition] else { return }
        let follower = try await follow(partition, from: bounds.start)
        defer { follower.close() }
        while true {
            for entry in try await follower.next().entries {
                if entry.key == key, entry.value == own { return }
                try body(entry)
            }
        }
    }
}
