import CloudMessages
import CloudModel
import EventLog
import Poison
import ProtocolBuffers

/// The topics of the devices whose journals share a partition of `journals`: which there are, and what each has. Pure.
struct PartitionTopics {
    typealias Life = DeviceTopic.Life

    /// The result of entries of `journals`.
    struct Step {
        /// The entries of devices' topics.
        var outputs: [OutgoingEntry] = []
        /// State to be committed after the outputs are acknowledged.
        var changes: [[UInt8]: [UInt8]?] = [:]
        /// The entries that were applied: not all, if the outputs have enough bytes.
        var count = 0
        /// The time of the newest entry.
        var time = LogTimestamp(milliseconds: 0)
        /// Entries that could not be read, and why.
        var malformed: [(offset: Int64, reason: String)] = []
        fileprivate var bytes = 0
        fileprivate var before: [UserRecordName: User?] = [:]
        fileprivate var positionBefore: LogPosition?
    }

    /// The topics of one user.
    fileprivate struct User: Hashable {
        var topics: [DeviceTopic] = []
        /// Topics that have to be deleted.
        var pending: Set<Life> = []
        /// The offset behind the user's removal: entries before it are no longer readable.
        var since: Int64 = 0
    }

    /// Bytes of outputs after which a step takes no further entry.
    private static let outputBytesMax = 2 << 20

    let layout: TopicLayout
    /// The position in `journals`.
    private(set) var position: LogPosition
    private var users: [UserRecordName: User] = [:]
    /// The users of topics that wait for entries from before the position.
    private var waiting: [Life: UserRecordName] = [:]
    /// The users of topics that have to be deleted.
    private var pending: [Life: UserRecordName] = [:]

    /// - Parameters:
    ///   - state: the committed state of the partition.
    ///   - position: the position in `journals` to go on from.
    init(layout: TopicLayout, state: [[UInt8]: [UInt8]], at position: LogPosition) throws {
        self.layout = layout
        self.position = position
        for (key, value) in state where key != PartitionState.key {
            let message = try FeedTopicsState(decoding: value)
            let name = UserRecordName(key: key)
            var user = User(topics: message.topics.map { DeviceTopic($0) }, since: min(message.since, position.offset))
            for index in user.topics.indices {
                // The partition may have lost entries since.
                user.topics[index].next = user.topics[index].next.map { min($0, position.offset) }
            }
            user.pending = Set(
                message.pending.map { Life(device: DeviceID(trusted: $0.device), epoch: DeviceEpoch($0.epoch)) })
            keep(user, name)
        }
    }

    /// The position that a state was committed at; nil where there is no state.
    static func position(of state: [[UInt8]: [UInt8]], at offset: Int64?) throws -> LogPosition? {
        guard let offset, let bytes = state[PartitionState.key] else { return nil }
        let message = try PartitionState(decoding: bytes)
        return LogPosition(offset: offset, incarnation: message.incarnation, marks: message.marks.map(\.mark))
    }

    // MARK: The partition

    /// Applies the next entries of the partition, or the first of them whose outputs have enough bytes. Topics that wait
    /// for earlier entries get none of these.
    /// - Parameters:
    ///   - next: the offset behind the entries.
    ///   - poison: the entries that are set aside.
    mutating func apply(_ entries: ArraySlice<LogEntry>, next: Int64, poison: PoisonWatch? = nil) -> Step {
        var step = Step()
        step.positionBefore = position
        for entry in entries {
            if step.bytes >= Self.outputBytesMax { break }
            step.count += 1
            step.time = max(step.time, entry.timestamp)
            do {
                _ = try poison.meet(entry.offset) { _ in try apply(entry, &step) }
            } catch {
                step.malformed.append((entry.offset, "\(error)"))
            }
        }
        if let last = entries.prefix(step.count).last { position.note(last) }
        position.offset = entries.dropFirst(step.count).first?.offset ?? next
        store(&step)
        step.changes[PartitionState.key] = encodedPosition
        return step
    }

    private mutating func apply(_ entry: LogEntry, _ step: inout Step) throws {
        guard let key = entry.key else { throw MalformedMessage("an entry without a key") }
        let name = UserRecordName(key: key)
        guard let value = entry.value else {
            // The user was removed.
            var user = users[name] ?? User()
            user.end { _ in true }
            user.since = entry.offset + 1
            return change(user, name, &step)
        }
        let message = try FeedEntry(decoding: value)
        var user = users[name] ?? User()
        switch message.entry {
        case .registered(let mark)?: user.register(mark)
        case .unregistered(let mark)?:
            user.end { $0.device.rawValue == mark.device && $0.epoch.rawValue == mark.epoch }
        default: break
        }
        for index in user.topics.indices where user.topics[index].next == nil {
            copy(message, of: entry, to: &user.topics[index], &step)
        }
        if user != users[name] ?? User() { change(user, name, &step) }
    }

    // MARK: Entries from before

    /// The topics that wait for entries from before the position, without those that have to be deleted first.
    var waitingTopics: Set<Life> { Set(waiting.keys.filter { pending[$0] == nil }) }

    /// The lowest offset that one of the topics waits for.
    func lowestOffset(of lives: Set<Life>) -> Int64 {
        lives.compactMap { life in topic(life)?.next }.min() ?? position.offset
    }

    /// The topics among those that wait of which entries are gone: they have some from before `start`.
    func torn(_ lives: Set<Life>, at start: Int64) -> Set<Life> {
        lives.filter { life in topic(life).map { $0.last != nil && $0.next ?? start < start } ?? false }
    }

    /// Returns true if entries of a topic that waits were written.
    func hasEntries(_ life: Life) -> Bool { topic(life)?.last != nil }

    /// Copies earlier entries of the partition to the topics that wait for them, or the first of them whose outputs have
    /// enough bytes.
    mutating func copy(_ entries: ArraySlice<LogEntry>, to lives: Set<Life>, poison: PoisonWatch? = nil) -> Step {
        var step = Step()
        var members: [UserRecordName: [Life]] = [:]
        for life in lives { if let name = waiting[life] { members[name, default: []].append(life) } }
        for entry in entries {
            if step.bytes >= Self.outputBytesMax { break }
            step.count += 1
            step.time = max(step.time, entry.timestamp)
            guard let key = entry.key, let value = entry.value else { continue }
            let name = UserRecordName(key: key)
            guard let lives = members[name], var user = users[name],
                let message = try? poison.meet(entry.offset, { _ in try FeedEntry(decoding: value) })
            else { continue }
            for index in user.topics.indices
            where lives.contains(user.topics[index].life) && user.topics[index].next ?? .max <= entry.offset {
                copy(message, of: entry, to: &user.topics[index], &step)
                user.topics[index].next = entry.offset + 1
            }
            change(user, name, &step)
        }
        store(&step)
        return step
    }

    /// Has topics that have all entries from before the position go on with the partition.
    mutating func finish(_ lives: Set<Life>) -> Step {
        var step = Step()
        for life in lives {
            guard let name = waiting[life], var user = users[name],
                let index = user.topics.firstIndex(where: { $0.life == life })
            else { continue }
            user.topics[index].next = nil
            change(user, name, &step)
        }
        store(&step)
        return step
    }

    private func copy(_ message: FeedEntry, of entry: LogEntry, to topic: inout DeviceTopic, _ step: inout Step) {
        guard let copy = topic.copy(message) else { return }
        let output = OutgoingEntry(
            TopicPartition(layout.feed(topic.life.device, topic.life.epoch)), key: nil, value: copy.encoded(),
            headers: entry.headers, timestamp: entry.timestamp)
        step.bytes += output.byteCount + Limits.rowBytes
        step.outputs.append(output)
    }

    // MARK: Topics that are made again, and deleted

    /// Has topics made again from the first retained entry on.
    /// - Parameter deletingFirst: true for topics that may be there.
    mutating func makeAgain(_ lives: Set<Life>, deletingFirst: Bool) -> Step {
        var step = Step()
        for (name, known) in users {
            var user = known
            for index in user.topics.indices where lives.contains(user.topics[index].life) {
                user.topics[index] = DeviceTopic(user.topics[index].life, from: user.since)
                if deletingFirst { user.pending.insert(user.topics[index].life) }
            }
            if user != known { change(user, name, &step) }
        }
        store(&step)
        step.changes[PartitionState.key] = encodedPosition
        return step
    }

    /// Forgets removals of users before the first retained entry.
    mutating func forgetRemovals(before start: Int64) -> Step {
        var step = Step()
        for (name, known) in users where known.since > 0 && known.since <= start {
            var user = known
            user.since = 0
            change(user, name, &step)
        }
        store(&step)
        return step
    }

    /// Begins with the devices that stage 2 knows, whose topics are made again.
    mutating func begin(with devices: [UserRecordName: [Life]]) -> Step {
        for (name, lives) in devices { keep(User(topics: lives.map { DeviceTopic($0, from: 0) }), name) }
        return makeAgain(allTopics, deletingFirst: true)
    }

    /// All topics that devices have.
    var allTopics: Set<Life> { Set(users.values.flatMap { $0.topics.map(\.life) }) }

    /// The topics that have to be deleted, before they are made again where devices have them.
    var pendingTopics: Set<Life> { Set(pending.keys) }

    /// Notes that topics are deleted.
    mutating func deleted(_ lives: some Sequence<Life>) -> Step {
        var step = Step()
        for life in lives {
            guard let name = pending[life], var user = users[name] else { continue }
            user.pending.remove(life)
            change(user, name, &step)
        }
        store(&step)
        return step
    }

    // MARK: State

    /// Forgets what a step that was not written has changed.
    mutating func undo(_ step: Step) {
        if let before = step.positionBefore { position = before }
        for (name, user) in step.before { keep(user ?? User(), name) }
    }

    private func topic(_ life: Life) -> DeviceTopic? {
        (waiting[life] ?? pending[life]).flatMap { users[$0]?.topics.first { $0.life == life } }
    }

    private mutating func change(_ user: User, _ name: UserRecordName, _ step: inout Step) {
        if step.before[name] == nil { step.before[name] = .some(users[name]) }
        keep(user, name)
    }

    private mutating func keep(_ user: User, _ name: UserRecordName) {
        if let known = users[name] {
            for topic in known.topics { waiting[topic.life] = nil }
            for life in known.pending { pending[life] = nil }
        }
        for topic in user.topics where topic.next != nil { waiting[topic.life] = name }
        for life in user.pending { pending[life] = name }
        users[name] = user == User() ? nil : user
    }

    private func store(_ step: inout Step) {
        for name in step.before.keys {
            step.changes[layout.userKey(name)] = .some(
                users[name].map { user in
                    FeedTopicsState(
                        topics: user.topics.map(\.state),
                        pending: user.pending.sorted().map {
                            PendingDeletion(device: $0.device.rawValue, epoch: $0.epoch.rawValue)
                        }, since: user.since
                    ).encoded()
                })
        }
    }

    private var encodedPosition: [UInt8] {
        PartitionState(
            next: position.offset, incarnation: position.incarnation, marks: position.marks.map { EntryMarkMessage($0) }
        ).encoded()
    }
}

extension PartitionTopics.User {
    /// Begins the topic of a device, and ends those of its earlier epochs.
    fileprivate mutating func register(_ mark: RegisteredMark) {
        let life = DeviceTopic.Life(device: DeviceID(trusted: mark.device), epoch: DeviceEpoch(mark.epoch))
        guard !topics.contains(where: { $0.life.device == life.device && $0.life.epoch >= life.epoch }) else { return }
        end { $0.device == life.device }
        topics.append(DeviceTopic(life, from: since))
    }

    /// Ends topics.
    fileprivate mutating func end(_ isOver: (DeviceTopic.Life) -> Bool) {
        pending.formUnion(topics.map(\.life).filter(isOver))
        topics.removeAll { isOver($0.life) }
    }
}
