import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import Poison
import ProtocolBuffers
import TestSupport
import Testing

@testable import FeedTopics

/// A log in memory with `journals`, which a test writes as stage 2 does, and the topics that stage 3 has to make.
actor JournalPlayer {
    static let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test.feeds"), environment: .development),
        partitions: 2, feedTopics: true)

    /// A device in one epoch.
    struct Life: Hashable {
        var user: String
        var device: String
        var epoch: Int64

        var topic: TopicName { JournalPlayer.layout.feed(DeviceID(trusted: device), DeviceEpoch(epoch)) }
    }

    nonisolated let memory = MemoryLog()
    private let writer: any LogWriter
    /// Each user's entries, once each, since the user's removal.
    private var journals: [String: [FeedEntry]] = [:]
    /// The devices that are registered.
    private(set) var lives: Set<Life> = []
    private var offset: Int64 = 0
    private var epoch: Int64 = 0
    private var incarnation: UInt64 = 5

    init() async throws {
        _ = try await memory.createTopics(Self.layout.fixedTopics)
        writer = try await memory.makeWriter()
    }

    /// Starts the stage on a log over this one.
    nonisolated func start(on log: (any EventLog)? = nil, poison: PoisonLedger? = nil) -> Task<Void, Never> {
        Task { await FeedTopics(log: log ?? memory, layout: Self.layout, poison: poison).run() }
    }

    // MARK: Writing

    func register(_ device: String, of user: String) async throws -> Life {
        epoch += 1
        let life = Life(user: user, device: device, epoch: epoch)
        lives = lives.filter { $0.device != device }
        lives.insert(life)
        let mark = RegisteredMark(device: device, epoch: life.epoch, name: "n", platform: "p")
        try await write(.registered(mark), of: user, by: life)
        return life
    }

    func unregister(_ life: Life) async throws {
        lives.remove(life)
        try await write(
            .unregistered(UnregisteredMark(device: life.device, epoch: life.epoch)), of: life.user, by: life)
    }

    /// Removes a user with all that is in the journal.
    func remove(_ user: String) async throws {
        lives = lives.filter { $0.user != user }
        journals[user] = nil
        try await writer.append([OutgoingEntry(place(user), key: key(user), value: nil, timestamp: time)])
    }

    /// - Parameters:
    ///   - life: the device that made the change; nil for none of the user's.
    ///   - badges: those that it raises.
    func notify(_ user: String, by life: Life? = nil, badges: [DeviceBadge] = []) async throws {
        var query = QueryNotification(database: 1, subscription: "s", change: offset + 1, reason: 1)
        query.badges = badges
        try await write(.query(query), of: user, by: life)
    }

    func markRead(_ user: String, by life: Life?) async throws {
        try await write(.read(ReadMark(change: offset)), of: user, by: life)
    }

    func setBadge(_ user: String) async throws { try await write(.badge(BadgeMark(value: 3)), of: user, by: nil) }

    /// Writes an entry again, as stage 2 does after a restart.
    func repeatLast(of user: String) async throws {
        guard let last = journals[user]?.last else { return }
        try await append(last, of: user)
    }

    /// Later entries have names of another source, as after stage 2's topic was made again.
    func beginSource() {
        incarnation += 1
        offset = 0
    }

    /// Writes bytes that are no entry.
    func writeGarbage(of user: String) async throws {
        try await writer.append([OutgoingEntry(place(user), key: key(user), value: [0xFF], timestamp: time)])
    }

    /// Writes what stage 2 knows of a user's devices.
    func storeDevices(of user: String) async throws {
        let state = UserState(
            devices: lives.filter { $0.user == user }.map { DeviceState(device: $0.device, epoch: $0.epoch) })
        let partition = TopicPartition(Self.layout.deliveryState, place(user).partition)
        try await writer.append([
            OutgoingEntry(partition, key: key(user), value: state.encoded(), timestamp: time)
        ])
    }

    private func write(_ content: FeedEntry.Entry, of user: String, by life: Life?) async throws {
        offset += 1
        let source = SourceID(origin: "deliveries", incarnation: incarnation, partition: place(user).partition)
        let entry = FeedEntry(
            source: SourcePositionMessage(SourcePosition(source: source, offset: offset)),
            predecessor: journals[user]?.last?.source, user: user, time: offset, device: life?.device,
            epoch: life?.epoch, entry: content)
        journals[user, default: []].append(entry)
        try await append(entry, of: user)
    }

    private func append(_ entry: FeedEntry, of user: String) async throws {
        try await writer.append([
            OutgoingEntry(place(user), key: key(user), value: entry.encoded(), timestamp: time)
        ])
    }

    private var time: LogTimestamp { LogTimestamp(milliseconds: offset) }

    private func key(_ user: String) -> [UInt8] { Array(user.utf8) }

    nonisolated func place(_ user: String) -> TopicPartition { Self.layout.journals(of: UserRecordName(trusted: user)) }

    // MARK: Reading

    /// The sources of the entries that the topics of registered devices have to have, by the walk over all entries.
    var expected: [TopicName: [SourcePositionMessage]] {
        var topics: [TopicName: [SourcePositionMessage]] = [:]
        for life in lives {
            topics[life.topic] = (journals[life.user] ?? []).compactMap { entry in
                let isOwn = entry.device == life.device && entry.epoch == life.epoch
                switch entry.entry {
                case .badge, .unregistered, nil: return nil
                case .registered: return isOwn ? entry.source : nil
                default: return isOwn ? nil : entry.source
                }
            }
        }
        return topics
    }

    /// The topics of devices as a reader finds them, repeats dropped.
    nonisolated func topics() async throws -> [TopicName: [FeedEntry]] {
        var topics: [TopicName: [FeedEntry]] = [:]
        for topic in try await memory.topics(withPrefix: Self.layout.feedPrefix) {
            var position = LogPosition(offset: 0)
            do {
                topics[topic] = try await memory.follow(TopicPartition(topic), from: 0).entriesToEnd()
                    .map { try FeedEntry(decoding: $0.value!) }
                    .filter { position.advance(to: $0.source!.position) }
            } catch LogError.unknownTopic {
                // It was deleted since.
                continue
            }
        }
        return topics
    }

    /// Waits until the topics are those of the registered devices and have all that they have to have.
    nonisolated func untilCopied() async throws {
        try await eventually("the topics of devices") {
            let expected = await self.expected
            return try await self.topics().mapValues { $0.map { $0.source! } } == expected
        }
    }
}
