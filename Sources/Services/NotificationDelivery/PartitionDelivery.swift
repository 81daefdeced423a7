import CloudMessages
import CloudModel
import EventLog
import Poison
import ProtocolBuffers

/// Delivery's state machine of one partition of `deliveries`: drops duplicates and passes each entry to its user's
/// machine.
struct PartitionDelivery {
    /// The key of the entry in `delivery-state` that holds the positions seen by the partition.
    static let positionsKey = PartitionState.key

    /// The result of a batch.
    struct Step {
        var outputs = DeliveryOutputs()
        /// State to be committed after the outputs are acknowledged.
        var changes: [[UInt8]: [UInt8]?] = [:]
        /// The time of the newest entry.
        var time = LogTimestamp(milliseconds: 0)
        /// The commit of the oldest change in the outputs; nil without one.
        var oldestChange: Timestamp?
        /// The offsets of hits of changes in traces that are kept, with what they carry of them.
        var traces: [(offset: Int64, trace: [UInt8])] = []
        /// Entries that had come before.
        var duplicates = 0
        /// Offsets of entries that could not be read or applied, and why.
        var malformed: [(entry: LogEntry, reason: String)] = []
        /// Applied entries: not all, if held hits are due first, or the outputs have enough bytes.
        var count = 0
        /// The bytes of the outputs (`DeliveryOutputs.heldBytes`).
        fileprivate var bytes = 0
    }

    let layout: TopicLayout
    /// This partition of `deliveries`.
    let source: SourceID
    /// The times that the partition had lost entries that were applied.
    private var losses: Int64 = 0
    private var generations: [NameGeneration] = []
    private var seen = LogPosition(offset: 0)
    /// The days that entries were of.
    private var days = DayCount()
    private var users: UserStates

    /// Takes over stored state. A user's that cannot be read is set aside alone.
    /// - Throws: when the partition's own part cannot be read.
    init(layout: TopicLayout, source: SourceID, state: [[UInt8]: [UInt8]]) throws {
        self.layout = layout
        self.source = source
        users = UserStates(layout: layout)
        for (key, value) in state {
            if key == Self.positionsKey {
                let state = try PartitionState(decoding: value)
                seen = LogPosition(offset: 0, marks: state.marks.map(\.mark))
                days = DayCount(count: state.days, last: state.lastDay)
                for position in state.seen { _ = seen.advance(to: position.position) }
                // Those of a topic that was recreated are its own.
                if state.incarnation == source.incarnation {
                    (losses, generations) = (state.losses, state.generations)
                } else {
                    seen.forgetMarks(from: 0)
                }
            } else {
                users.load(UserRecordName(key: key), value)
            }
        }
    }

    /// This partition as the source of the outputs of an entry. Entries that are written after a loss, or after the log
    /// was restored, have names of a source of their own: their offsets had other entries, whose outputs readers have
    /// seen.
    private func names(at offset: Int64) -> SourceID {
        var names = source
        names.incarnation &+= UInt64(bitPattern: losses) &* 0x9e37_79b9_7f4a_7c15
        names.incarnation &+= generations.last { $0.from <= offset }?.number ?? 0
        return names
    }

    /// Goes on after a loss, from an offset before it.
    /// - Returns: the state, to be committed before anything else.
    mutating func beginHistory(at offset: Int64) -> [[UInt8]: [UInt8]?] {
        losses += 1
        seen.forgetMarks(from: offset)
        users.lowerHeld(to: offset)
        var step = Step()
        store(&step)
        step.changes[Self.positionsKey] = encodedPositions(offset)
        return step.changes
    }

    /// The position in `deliveries` that a state was committed at: its topic, 0 where nobody noted it, and marks.
    static func position(of state: [[UInt8]: [UInt8]], at offset: Int64) throws -> LogPosition {
        let known = try state[positionsKey].map { try PartitionState(decoding: $0) }
        return LogPosition(
            offset: offset, incarnation: known?.incarnation ?? 0, marks: known?.marks.map(\.mark) ?? [])
    }

    /// The position behind the applied entries.
    func position(at offset: Int64) -> LogPosition {
        LogPosition(offset: offset, incarnation: source.incarnation, marks: seen.marks)
    }

    /// The users whose state cannot be read, and why: their entries are set aside.
    var unreadableUsers: [UserRecordName: String] { users.unreadable }

    /// Applies a batch of `deliveries`, or the first of its entries whose outputs have `DeliveryPlan.outputBytesMax` bytes.
    /// - Parameter poison: the entries that are set aside; nil, as in tests, sets none aside.
    mutating func apply(_ entries: some Collection<LogEntry>, poison: PoisonWatch? = nil) -> Step {
        var step = Step()
        var next: Int64 = 0
        for entry in entries {
            if !users.withRelease.isEmpty || step.bytes >= DeliveryPlan.outputBytesMax { break }
            step.count += 1
            step.time = max(step.time, entry.timestamp)
            next = entry.offset + 1
            if days.note(entry.timestamp) { users.forgetRemoved(at: days.count) }
            do {
                guard let met = try poison.meet(entry.offset, { _ in try apply(entry) }) else {
                    passBy(entry)
                    continue
                }
                guard let met else {
                    step.duplicates += 1
                    continue
                }
                step.outputs.add(met.outputs)
                step.bytes += met.outputs.heldBytes
                if !met.trace.isEmpty { step.traces.append((entry.offset, met.trace)) }
                if let time = met.change { step.oldestChange = min(step.oldestChange ?? time, time) }
            } catch {
                step.malformed.append((entry, "\(error)"))
                passBy(entry)
            }
        }
        store(&step)
        if let last = entries.prefix(step.count).suffix(1).first { seen.note(last) }
        if step.count > 0 { step.changes[Self.positionsKey] = encodedPositions(next) }
        return step
    }

    /// The held hits that are due before anything else; nil if there are none.
    var dueRelease: HeldRelease? {
        mutating get { users.withRelease.min().flatMap { (try? users.state(of: $0))?.dueRelease } }
    }

    /// Delivers held hits from entries of `deliveries`, which were read again, or from the first of them whose outputs have
    /// `DeliveryPlan.outputBytesMax` bytes: then `dueRelease` has the offset of the next one.
    /// - Parameters:
    ///     - next: the offset in them to continue from.
    ///     - isPartlyLost: true if retention has removed entries that are due.
    ///     - committed: the offset of the partition meanwhile.
    ///     - poison: the entries that are set aside.
    mutating func release(
        _ due: HeldRelease, in entries: some Collection<LogEntry>, next: Int64, isPartlyLost: Bool = false,
        committed: Int64, poison: PoisonWatch? = nil
    ) throws -> Step {
        var step = Step()
        var delivery = try users.state(of: due.user)
        // Unreadable entries were reported to operators the first time.
        let read = entries.compactMap { entry in
            (try? DeliveryEntry(reading: entry.value ?? [])).map { (offset: entry.offset, entry: $0) }
        }
        step.time = entries.map(\.timestamp).max() ?? step.time
        step.outputs = delivery.release(
            due, in: read, next: next, isPartlyLost: isPartlyLost, by: names(at: due.end), poison)
        users.keep(delivery)
        store(&step)
        step.changes[Self.positionsKey] = encodedPositions(committed)
        return step
    }

    /// Drops the positions of held hits: their topic is gone.
    /// - Parameter committed: the offset of the partition in the new one.
    /// - Returns: the state, to be committed before anything else, and the number of subscriptions whose hits are lost.
    mutating func forgetHeld(committed: Int64) -> (step: Step, count: Int) {
        var step = Step()
        let count = users.forgetHeld()
        store(&step)
        step.changes[Self.positionsKey] = encodedPositions(committed)
        return (step, count)
    }

    /// Counts an entry that is set aside as applied, if it is of the user's devices: the user's reads wait for it. It is
    /// not read for that, as a process may have died at its contents.
    private mutating func passBy(_ entry: LogEntry) {
        guard let sequence = OperatorHeaders.deviceSequence(of: entry), let key = entry.key,
            let user = try? UserRecordName(String(decoding: key, as: UTF8.self)),
            var delivery = try? users.state(of: user), delivery.applied < sequence
        else { return }
        delivery.applied = sequence
        users.keep(delivery)
    }

    private mutating func store(_ step: inout Step) {
        for (user, bytes) in users.store() { step.changes[layout.userKey(user)] = .some(bytes) }
    }

    /// The result of one entry.
    private struct Met {
        var outputs: DeliveryOutputs
        var change: Timestamp?
        var trace: [UInt8] = []
    }

    /// Applies an entry. One that throws changes nothing of a user's.
    /// - Returns: nil for a duplicate.
    private mutating func apply(_ entry: LogEntry) throws -> Met? {
        guard let value = entry.value else { throw MalformedMessage("an entry without a value") }
        let message = try DeliveryEntry(reading: value)
        guard let name = message.source?.position else { throw MalformedMessage("an entry without a source") }
        let user = try UserRecordName(message.user)
        // The user's own state has the seen position of a backfill's share.
        guard message.isOfPast || seen.advance(to: name, of: message, in: layout) else { return nil }
        var delivery = try users.state(of: user)
        var met = Met(
            outputs: try delivery.apply(
                message, at: SourcePosition(source: names(at: entry.offset), offset: entry.offset),
                logged: entry.timestamp, days: days.count))
        if case .hits(let hits)? = message.event, hits.backfill == 0 {
            met.change = Timestamp(milliseconds: message.time)
            met.trace = hits.trace
        }
        users.keep(delivery)
        return met
    }

    private func encodedPositions(_ next: Int64) -> [UInt8] {
        let seen = PositionMessage(seen)
        return PartitionState(
            seen: seen.seen, next: next, incarnation: source.incarnation, marks: seen.marks, losses: losses,
            days: days.count, lastDay: days.last, generations: generations
        ).encoded()
    }
}

/// The days that entries were of. Days are counted, and no time is subtracted from another: a clock that leaps makes one
/// day more.
struct DayCount {
    var count: Int64 = 0
    /// The last day, since 1970 UTC.
    var last: Int64 = 0

    /// Notes the time of an entry; returns true if a new day begins with it.
    mutating func note(_ time: LogTimestamp) -> Bool {
        let day = time.milliseconds / Retention.days(1)
        guard day > last else { return false }
        (count, last) = (count + 1, day)
        return true
    }
}
