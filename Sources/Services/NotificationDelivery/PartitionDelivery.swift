import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Stages

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
        /// Feeds that cannot be made, whose devices were taken out of the state.
        var droppedFeeds: [TopicName] = []
        /// The users whose state changed, with the stored form of before; nil for a new one.
        fileprivate(set) var before: [UserRecordName: [UInt8]?] = [:]
        fileprivate var seenBefore = LogPosition(offset: 0)
        fileprivate var daysBefore = DayCount()
        /// The bytes of the outputs (`DeliveryOutputs.heldBytes`).
        fileprivate var bytes = 0
    }

    let layout: TopicLayout
    /// This partition of `deliveries`.
    let source: SourceID
    /// This partition as the source of what it writes.
    private var names: SourceID
    /// The times that the partition had lost entries that were applied.
    private var losses: Int64 = 0
    private var seen = LogPosition(offset: 0)
    /// The days that entries were of.
    private var days = DayCount()
    private var users: UserStates

    /// Takes over stored state. A user's that cannot be read is set aside alone.
    /// - Throws: when the partition's own part cannot be read.
    init(layout: TopicLayout, source: SourceID, state: [[UInt8]: [UInt8]]) throws {
        self.layout = layout
        self.source = source
        names = source
        users = UserStates(layout: layout)
        for (key, value) in state {
            if key == Self.positionsKey {
                let state = try PartitionState(decoding: value)
                seen = LogPosition(offset: 0, marks: state.marks.map(\.mark))
                days = DayCount(count: state.days, last: state.lastDay)
                for position in state.seen { _ = seen.advance(to: position.position) }
                // Those of a topic that was recreated are its own.
                if state.incarnation == source.incarnation { losses = state.losses } else { seen.forgetMarks(from: 0) }
            } else {
                users.load(UserRecordName(trusted: String(decoding: key, as: UTF8.self)), value)
            }
        }
        nameOutputs()
    }

    /// Entries that are written after a loss have names of a source of their own: their offsets had other entries, whose
    /// outputs readers have seen.
    private mutating func nameOutputs() {
        names.incarnation = source.incarnation &+ UInt64(bitPattern: losses) &* 0x9e37_79b9_7f4a_7c15
    }

    /// Goes on after a loss, from an offset before it.
    /// - Returns: the state, to be committed before anything else.
    mutating func beginHistory(at offset: Int64) -> [[UInt8]: [UInt8]?] {
        losses += 1
        nameOutputs()
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
    /// - Parameters:
    ///   - poison: the entries that are set aside; nil, as in tests, sets none aside.
    ///   - refused: journals and feeds that the log does not make. An entry that needs such a journal is set aside; a
    ///     device with such a feed is taken out of the state.
    mutating func apply(
        _ entries: some Collection<LogEntry>, poison: PoisonWatch? = nil, refused: [TopicName: String] = [:]
    ) -> Step {
        var step = Step()
        step.seenBefore = seen
        step.daysBefore = days
        var next: Int64 = 0
        for entry in entries {
            if !users.withRelease.isEmpty || step.bytes >= DeliveryPlan.outputBytesMax { break }
            step.count += 1
            step.time = max(step.time, entry.timestamp)
            next = entry.offset + 1
            if days.note(entry.timestamp) { users.forgetRemoved(at: days.count) }
            do {
                guard let met = try poison.meet(entry.offset, { _ in try apply(entry, refused) }) else {
                    passBy(entry)
                    continue
                }
                guard let met else {
                    step.duplicates += 1
                    continue
                }
                step.outputs.add(met.outputs)
                step.bytes += met.outputs.heldBytes
                step.droppedFeeds += met.droppedFeeds
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
    ///     - refused: feeds that the log does not create: their devices are removed from the state.
    mutating func release(
        _ due: HeldRelease, in entries: some Collection<LogEntry>, next: Int64, isPartlyLost: Bool = false,
        committed: Int64, poison: PoisonWatch? = nil, refused: [TopicName: String] = [:]
    ) throws -> Step {
        var step = Step()
        step.seenBefore = seen
        step.daysBefore = days
        var delivery = try users.state(of: due.user)
        // Unreadable entries were reported to operators the first time.
        let read = entries.compactMap { entry in
            (try? DeliveryEntry(reading: entry.value ?? [])).map { (offset: entry.offset, entry: $0) }
        }
        step.time = entries.map(\.timestamp).max() ?? step.time
        step.outputs = delivery.release(
            due, in: read, next: next, isPartlyLost: isPartlyLost, by: names, poison)
        if !refused.isEmpty {
            step.droppedFeeds = delivery.dropDevices { refused[$0] != nil }
            step.outputs.drop(Set(step.droppedFeeds))
        }
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
        step.seenBefore = seen
        step.daysBefore = days
        let count = users.forgetHeld()
        store(&step)
        step.changes[Self.positionsKey] = encodedPositions(committed)
        return (step, count)
    }

    /// Forgets what a step that was not written has changed.
    mutating func undo(_ step: Step) {
        seen = step.seenBefore
        days = step.daysBefore
        users.restore(step.before)
    }

    /// The topics that have to be deleted, with their users.
    var pending: [(user: UserRecordName, topic: TopicName)] {
        mutating get {
            var found: [(user: UserRecordName, topic: TopicName)] = []
            for user in users.withPending {
                found += (try? users.state(of: user))?.pendingTopics.map { (user, $0) } ?? []
            }
            return found
        }
    }

    /// Notes that a topic is gone: the state that says so is committed with the next step.
    mutating func deleted(_ user: UserRecordName, _ topic: TopicName) {
        guard var delivery = try? users.state(of: user) else { return }
        delivery.deleted(topic)
        users.keep(delivery)
        _ = users.store()
    }

    /// Begins feeds again whose topics are gone, before the outputs of a name are written: the device's history in the
    /// journal comes first again, and names go on as they were.
    /// - Returns: the state, to be committed first, and the first entries of the feeds.
    mutating func beginAgain(
        _ feeds: Set<TopicName>, of names: some Sequence<UserRecordName>, before place: (offset: Int64, index: Int32),
        at time: LogTimestamp
    ) -> Step {
        var step = Step()
        step.time = time
        step.seenBefore = seen
        step.daysBefore = days
        for name in names {
            guard var user = try? users.state(of: name) else { continue }
            let lost = user.devices.indices.filter {
                feeds.contains(layout.feed(user.devices[$0].id, user.devices[$0].epoch))
            }
            guard !lost.isEmpty else { continue }
            let position = SourcePosition(source: self.names, offset: place.offset, index: place.index - 1)
            var work = UserStep(user, time: Timestamp(time), source: position)
            for index in lost { work.beginFeedAgain(at: index) }
            user = work.delivery
            users.keep(user)
            step.outputs.add(work.outputs)
        }
        store(&step)
        return step
    }

    /// The feeds that begin again, as the state says, and whose first entry may not be there.
    mutating func beginningFeeds(of names: some Sequence<UserRecordName>) -> Set<TopicName> {
        var feeds: Set<TopicName> = []
        for user in names {
            let devices = (try? users.state(of: user))?.devices ?? []
            for device in devices where device.beginsAgain { feeds.insert(layout.feed(device.id, device.epoch)) }
        }
        return feeds
    }

    /// Notes that the first entries of restarted feeds are written; the state that says so is stored with the users'
    /// next step.
    mutating func noteBegun(_ feeds: Set<TopicName>, of names: some Sequence<UserRecordName>) {
        for name in names {
            guard var user = try? users.state(of: name), user.devices.contains(where: \.beginsAgain) else { continue }
            for (index, device) in user.devices.enumerated() where feeds.contains(layout.feed(device.id, device.epoch))
            {
                user.devices[index].beginsAgain = false
            }
            users.keep(user)
        }
        _ = users.store()
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
        for (user, forms) in users.store() {
            step.changes[layout.userKey(user)] = forms.after
            step.before[user] = .some(forms.before)
        }
    }

    /// The result of one entry.
    private struct Met {
        var outputs: DeliveryOutputs
        var change: Timestamp?
        var trace: [UInt8] = []
        var droppedFeeds: [TopicName] = []
    }

    /// Applies an entry. One that throws changes nothing of a user's.
    /// - Returns: nil for a duplicate.
    private mutating func apply(_ entry: LogEntry, _ refused: [TopicName: String]) throws -> Met? {
        guard let value = entry.value else { throw MalformedMessage("an entry without a value") }
        let message = try DeliveryEntry(reading: value)
        guard let name = message.source?.position else { throw MalformedMessage("an entry without a source") }
        let user = try UserRecordName(message.user)
        // The user's own state has the seen position of a backfill's share.
        guard message.isOfPast || seen.advance(to: name, of: message, in: layout) else { return nil }
        var delivery = try users.state(of: user)
        var met = Met(
            outputs: try delivery.apply(
                message, at: SourcePosition(source: names, offset: entry.offset), logged: entry.timestamp,
                days: days.count))
        if case .hits(let hits)? = message.event, hits.backfill == 0 {
            met.change = Timestamp(milliseconds: message.time)
            met.trace = hits.trace
        }
        if !refused.isEmpty {
            if let reason = refused[layout.journal(user)] { throw RefusedJournal(reason: reason) }
            met.droppedFeeds = delivery.dropDevices { refused[$0] != nil }
            met.outputs.drop(Set(met.droppedFeeds))
        }
        users.keep(delivery)
        return met
    }

    private func encodedPositions(_ next: Int64) -> [UInt8] {
        let seen = PositionMessage(seen)
        return PartitionState(
            seen: seen.seen, next: next, incarnation: source.incarnation, marks: seen.marks, losses: losses,
            days: days.count, lastDay: days.last
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

/// An entry that needs a journal which the log does not make.
private struct RefusedJournal: Error, CustomStringConvertible {
    let reason: String
    var description: String { "the user's journal cannot be made: \(reason)" }
}
