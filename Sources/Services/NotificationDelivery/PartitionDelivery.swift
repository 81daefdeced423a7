import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Stages

/// Delivery's state machine of one partition of `deliveries`: drops duplicates and hands each entry to its user's machine.
struct PartitionDelivery {
    /// The key of the entry in `delivery-state` that holds the positions seen by the partition. No user's name looks like it.
    static let positionsKey = Array("#positions".utf8)

    /// The result of a batch.
    struct Step {
        var outputs = DeliveryOutputs()
        /// State to be committed after the outputs are acknowledged.
        var changes: [[UInt8]: [UInt8]?] = [:]
        /// The time of the newest entry.
        var time = LogTimestamp(milliseconds: 0)
        /// Entries that had come before.
        var duplicates = 0
        /// Offsets of entries that could not be read, and why.
        var malformed: [(offset: Int64, reason: String)] = []
        /// Entries that were applied: not all, when something that was held back has to be told first.
        var count = 0
    }

    private let layout: TopicLayout
    /// This partition as the source of what it writes.
    private let source: SourceID
    private var seen = LogPosition(offset: 0)
    private var users: [UserRecordName: UserDelivery] = [:]
    /// The users who have topics to be deleted.
    private var usersWithPending: Set<UserRecordName> = []
    /// The users who have hits that were held back and are to be told.
    private var usersWithRelease: Set<UserRecordName> = []

    /// Takes over stored state.
    init(layout: TopicLayout, source: SourceID, state: [[UInt8]: [UInt8]]) throws {
        self.layout = layout
        self.source = source
        for (key, value) in state {
            if key == Self.positionsKey {
                for position in try PartitionState(decoding: value).seen { _ = seen.advance(to: position.position) }
            } else {
                let user = UserRecordName(trusted: String(decoding: key, as: UTF8.self))
                keep(try UserDelivery(user: user, layout: layout, decoding: value))
            }
        }
    }

    /// Applies a batch of `deliveries`.
    /// - Parameter poison: the entries that are set aside; nil, as in tests, sets none aside.
    mutating func apply(_ entries: some Collection<LogEntry>, poison: PoisonWatch? = nil) -> Step {
        var step = Step()
        var touched: Set<UserRecordName> = []
        for entry in entries {
            if !usersWithRelease.isEmpty { break }
            step.count += 1
            step.time = max(step.time, entry.timestamp)
            do {
                guard let met = try poison.meet(entry.offset, { _ in try apply(entry) }) else { continue }
                if let (user, outputs) = met {
                    touched.insert(user)
                    step.outputs.add(outputs)
                } else {
                    step.duplicates += 1
                }
            } catch {
                step.malformed.append((entry.offset, "\(error)"))
            }
        }
        for user in touched { step.changes[layout.userKey(user)] = users[user]!.encoded() }
        if !touched.isEmpty { step.changes[Self.positionsKey] = encodedPositions }
        return step
    }

    /// What was held back and is to be told before anything else; nil when there is nothing.
    var dueRelease: HeldRelease? { usersWithRelease.min().flatMap { users[$0]?.dueRelease } }

    /// Tells what was held back in some entries of `deliveries`, which were read again.
    /// - Parameter next: the offset to go on from.
    mutating func release(_ due: HeldRelease, in entries: [LogEntry], next: Int64) throws -> Step {
        var step = Step()
        guard var delivery = users[due.user] else { return step }
        // What cannot be read was told to operators when it came.
        let read = entries.compactMap { entry in
            (try? DeliveryEntry(decoding: entry.value ?? [])).map { (offset: entry.offset, entry: $0) }
        }
        step.time = entries.map(\.timestamp).max() ?? step.time
        step.outputs = try delivery.release(due, in: read, next: next, by: source)
        keep(delivery)
        step.changes[layout.userKey(due.user)] = delivery.encoded()
        step.changes[Self.positionsKey] = encodedPositions
        return step
    }

    /// The topics that have to be deleted, with their users.
    var pending: [(user: UserRecordName, pending: UserDelivery.Pending)] {
        usersWithPending.flatMap { user in users[user]?.pending.map { (user, $0) } ?? [] }
    }

    /// Notes that a topic is gone: the state that says so is committed with the next step.
    mutating func deleted(_ user: UserRecordName, _ pending: UserDelivery.Pending) {
        guard var delivery = users[user] else { return }
        delivery.deleted(pending)
        keep(delivery)
    }

    private mutating func keep(_ delivery: UserDelivery) {
        users[delivery.user] = delivery
        if delivery.pending.isEmpty {
            usersWithPending.remove(delivery.user)
        } else {
            usersWithPending.insert(delivery.user)
        }
        if delivery.dueRelease == nil {
            usersWithRelease.remove(delivery.user)
        } else {
            usersWithRelease.insert(delivery.user)
        }
    }

    /// Applies an entry. One that throws changes nothing.
    /// - Returns: the user whose state changed, and what has to be written; nil for a duplicate.
    private mutating func apply(_ entry: LogEntry) throws -> (user: UserRecordName, outputs: DeliveryOutputs)? {
        guard let value = entry.value else { throw MalformedMessage("an entry without a value") }
        let message = try DeliveryEntry(decoding: value)
        guard let name = message.source?.position else { throw MalformedMessage("an entry without a source") }
        let user = try UserRecordName(message.user)
        // Of a share of the past the user's own state knows what came before.
        guard message.isOfPast || seen.advance(to: name) else { return nil }
        var delivery = users[user] ?? UserDelivery(user: user, layout: layout)
        let outputs = try delivery.apply(message, at: SourcePosition(source: source, offset: entry.offset))
        keep(delivery)
        return (user, outputs)
    }

    private var encodedPositions: [UInt8] {
        PartitionState(seen: PositionMessage(seen).seen).encoded()
    }
}
