import CloudMessages
import CloudModel
import Continuity
import EventLog
import ProtocolBuffers
import RecordStore
import Stages
import Telemetry

/// Applies the commands of delivery and of push senders. The position in each partition is stored in the transaction of
/// the command, so that every command is applied exactly once. Those of push senders have no names: repeated, they do
/// the same.
struct CommandConsumer: Sendable {
    static let applied = Counter(
        "fanfare_record_service_commands_total", "Commands of delivery and of push senders that were applied.")
    static let malformed = Counter(
        "fanfare_record_service_malformed_commands_total", "Commands that could not be read and were set aside.")

    static let gaps = Counter(
        "fanfare_record_service_command_gaps_total",
        "Times that commands were gone before they were read, and what they asked for was read in delivery-state instead."
    )

    /// Deletes a subscription that has fired, unless it was created again since.
    /// - Parameter remember: runs in the transaction of the deletion.
    typealias Deletion =
        @Sendable (
            _ key: SubscriptionKey, _ created: CommitSequence,
            _ remember: @escaping @Sendable (any StoreTransaction) throws -> Void
        ) async throws -> Void

    /// Removes the address of a registration, unless another one was made since.
    /// - Parameter remember: runs in the transaction of the removal.
    typealias AddressRemoval =
        @Sendable (
            _ removal: RemovePushAddress, _ remember: @escaping @Sendable (any StoreTransaction) throws -> Void
        ) async throws -> Void

    let store: any RecordStore
    let layout: TopicLayout
    let log: any EventLog
    let delete: Deletion
    let removeAddress: AddressRemoval
    /// Returns the time of the service clock.
    let serviceTime: @Sendable (any StoreTransaction) throws -> Timestamp
    /// The wall clock.
    let now: @Sendable () -> Timestamp
    /// Called after a delivery was scheduled.
    let scheduled: @Sendable () -> Void
    var check = StartCheck.none

    /// Follows all partitions until the task is cancelled.
    func run() async {
        let stage = StageProgress(.commands, scope: "\(layout.scope)")
        stage.waits(for: nil)
        await stage.watched(on: log) {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<layout.partitions {
                    group.addTask { await follow(TopicPartition(layout.commands, number), stage) }
                }
            }
        }
    }

    private func follow(_ partition: TopicPartition, _ stage: StageProgress) async {
        stage.started(partition)
        await persistently(failed: { error, pause in
            stage.failed(partition, error)
            Log.warning(
                "commands.failed", ["partition": "\(partition)", "error": "\(error)", "pause": "\(pause)"])
        }) {
            try await check.pass()
            let stored = try await stored(partition)
            do {
                let (position, follower, lost) = try await log.follow(partition, from: stored) {
                    try await log.follow(partition, from: $0)
                }
                defer { follower.close() }
                lost?.report(by: .commands)
                try await apply(partition, from: position, follower, stage)
            } catch LogError.offsetOutOfRange(_, let requested, let bounds)
                where requested < bounds.start || stored?.marks.isEmpty ?? true
            {
                try await makeUp(for: partition, stored ?? LogPosition(offset: 0), bounds)
                throw LogError.unavailable("\(partition) starts again at offset \(bounds.start)")
            }
        }
    }

    private func apply(
        _ partition: TopicPartition, from start: LogPosition, _ follower: any LogFollower, _ stage: StageProgress
    ) async throws {
        var position = start
        while true {
            let batch = try await follower.next()
            var isStored = true
            for entry in batch.entries {
                position.offset = entry.offset + 1
                position.note(entry)
                isStored = try await apply(entry, &position, partition)
            }
            // What changed nothing moves the position too, or retention would remove what it names.
            if !isStored { try await save(position, of: partition) }
            stage.advanced(partition, to: batch.nextOffset, time: batch.entries.last?.timestamp)
        }
    }

    /// Does what commands asked for that retention has removed, as `delivery-state` lists it, and goes on behind them.
    private func makeUp(for partition: TopicPartition, _ position: LogPosition, _ bounds: OffsetBounds) async throws {
        Self.gaps.increment()
        Log.error(
            "commands.gap", ["partition": "\(partition)", "requested": position.offset, "start": bounds.start])
        for (user, spent) in try await SpentSubscriptions(layout: layout, log: log).read() {
            for database in DatabaseScope.allCases {
                for stored in try await store.read({ try $0.subscriptions(of: user, in: database) })
                where spent.contains(stored.created) {
                    try await delete(stored.key, stored.created) { _ in }
                }
            }
        }
        var next = position
        next.offset = bounds.start
        try await save(next, of: partition)
    }

    private func stored(_ partition: TopicPartition) async throws -> LogPosition? {
        let reader = Self.reader(of: partition)
        return try await store.read { try $0.position(reader) }.map { try PositionMessage(decoding: $0).position }
    }

    /// Does what an entry asks; returns whether that stored the position, too.
    private func apply(
        _ entry: LogEntry, _ position: inout LogPosition, _ partition: TopicPartition
    ) async throws -> Bool {
        guard let value = entry.value, let command = try? Command(decoding: value), let order = Order(command),
            command.source != nil || order.isRepeatable
        else {
            Self.malformed.increment()
            Log.error("command.malformed", ["partition": "\(partition)", "offset": entry.offset])
            return false
        }
        if let source = command.source, !position.advance(to: source.position) { return false }
        let stored = PositionMessage(position).encoded()
        let reader = Self.reader(of: partition)
        switch order {
        case .delete(let key, let created): try await delete(key, created) { try $0.setPosition(stored, of: reader) }
        case .endBackfills(let user, let created):
            try await store.write(in: .database(user)) {
                try $0.endBackfills(created, of: user)
                try $0.setPosition(stored, of: reader)
            }
        case .removeAddress(let removal): try await removeAddress(removal) { try $0.setPosition(stored, of: reader) }
        case .noteResults(let results):
            try await store.write(in: .whole) { [serviceTime] transaction in
                let time = try serviceTime(transaction)
                for result in results { try transaction.note(result, heard: time) }
                try transaction.setPosition(stored, of: reader)
            }
        case .schedule(let user, let at, let delay):
            let due = Timestamp(milliseconds: now().milliseconds + max(0, min(delay, DeliveryPolicy.delayMax)))
            try await store.write(in: .user(user)) {
                try $0.add(DueDelivery(user: user, at: at, due: due))
                try $0.setPosition(stored, of: reader)
            }
            scheduled()
        }
        KillPoint.reach(.commandApplied)
        Self.applied.increment()
        return true
    }

    private func save(_ position: LogPosition, of partition: TopicPartition) async throws {
        let stored = PositionMessage(position).encoded()
        let reader = Self.reader(of: partition)
        try await store.write(in: .whole) { try $0.setPosition(stored, of: reader) }
    }

    /// The name under which the store keeps the position in a partition.
    static func reader(of partition: TopicPartition) -> String { "commands/\(partition.partition)" }
}

/// A command as it is done.
private enum Order {
    case delete(SubscriptionKey, CommitSequence)
    case endBackfills(UserRecordName, [CommitSequence])
    case removeAddress(RemovePushAddress)
    case noteResults([PushResult])
    case schedule(UserRecordName, at: Int64, delay: Int64)

    /// True if it does the same when it is repeated.
    var isRepeatable: Bool {
        switch self {
        case .delete, .endBackfills, .schedule: false
        case .removeAddress, .noteResults: true
        }
    }

    /// Nil for a command that this version does not know.
    init?(_ command: Command) {
        switch command.command {
        case .deleteSubscription(let deletion)?:
            guard let database = DatabaseScope(rawValue: deletion.database) else { return nil }
            let key = SubscriptionKey(
                user: UserRecordName(trusted: deletion.user), database: database,
                id: SubscriptionID(trusted: deletion.id))
            self = .delete(key, CommitSequence(deletion.created))
        case .backfillsDelivered(let delivered)?:
            self = .endBackfills(
                UserRecordName(trusted: delivered.user), delivered.created.map { CommitSequence($0) })
        case .removePushAddress(let removal)?: self = .removeAddress(removal)
        case .pushResults(let results)?: self = .noteResults(results.results)
        case .scheduleDelivery(let order)?:
            self = .schedule(UserRecordName(trusted: order.user), at: order.at, delay: order.delay)
        case nil: return nil
        }
    }
}

extension StoreTransaction {
    /// Notes the last pushes to an address, if it is still that of the registration.
    /// - Parameter heard: the time by the service clock.
    fileprivate func note(_ result: PushResult, heard: Timestamp) throws {
        let stored = try pushAddresses(of: DeviceID(trusted: result.device)).first {
            $0.kind == CourierKind(result.kind) && $0.sequence == CommitSequence(result.sequence)
        }
        guard var stored else { return }
        if let time = result.succeeded {
            stored.lastSuccess = Timestamp(milliseconds: time)
            stored.lastSuccessStatus = result.succeededStatus.map { Int($0) }
            // A server that takes pushes need never read its feed.
            if stored.kind == .webhook { try noteSeen(stored.device, at: Timestamp(milliseconds: time), heard) }
        }
        if let time = result.failed {
            stored.lastFailure = StoredPushAddress.Failure(
                time: Timestamp(milliseconds: time), status: result.failedStatus.map { Int($0) }, reason: result.reason)
        }
        try save(stored)
    }

    private func noteSeen(_ id: DeviceID, at time: Timestamp, _ heard: Timestamp) throws {
        guard var stored = try device(id), stored.lastSeen < time || stored.lastHeard < heard else { return }
        (stored.lastSeen, stored.lastHeard) = (time, heard)
        try save(stored)
    }
}
