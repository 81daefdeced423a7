import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import Poison
import ProtocolBuffers
import Stages
import TestSupport
import Testing

@testable import NotificationDelivery

/// Stage 2 over a log in memory, with topics of its own, entries that a test writes, and journals that it reads.
struct Bench {
    let memory = MemoryLog()
    let layout: TopicLayout
    let alice = UserRecordName.sample("a")
    let bob = UserRecordName.sample("b")
    private let writer: any LogWriter

    init() async throws {
        let container = ContainerIdentifier(trusted: "iCloud.test.\(UInt32.random(in: 0 ... .max))")
        layout = TopicLayout(
            ContainerEnvironment(container: container, environment: .development), partitions: 1)
        _ = try await memory.createTopics(layout.fixedTopics)
        writer = try await memory.makeWriter()
    }

    /// Starts the stage on a log over this one.
    func start(on log: (any EventLog)? = nil, poison: PoisonLedger? = nil) -> Task<Void, Never> {
        let log = log ?? memory
        return Task { await NotificationDelivery(log: log, layout: layout, poison: poison).run() }
    }

    func register(_ device: String, _ epoch: Int64, of user: UserRecordName) async throws {
        try await append(
            .registered(DeviceRegistered(device: device, epoch: epoch, name: "n", platform: "p")), of: user, at: epoch)
    }

    func unregister(_ device: String, _ epoch: Int64, of user: UserRecordName, at sequence: Int64) async throws {
        try await append(.unregistered(DeviceUnregistered(device: device, epoch: epoch)), of: user, at: sequence)
    }

    func remove(_ user: UserRecordName, at sequence: Int64) async throws {
        try await append(.userRemoved(UserRemoved()), of: user, at: sequence)
    }

    /// - Parameters:
    ///   - created: the creation of the subscription that fires.
    ///   - isPast: true where the change was before it.
    ///   - text: the text that the notification shows.
    ///   - count: the number of hits, each of a subscription of its own.
    func hit(
        _ change: Int64, of user: UserRecordName, created: Int64 = 1, isPast: Bool = false, text: String? = nil,
        count: Int = 1
    ) async throws {
        let hits = HitsMessage(
            change: change, kind: 1, recordType: "T", recordName: "r\(change)", zone: ZoneMessage(.publicDefault),
            origin: OriginMessage(user: "_x"),
            hits: (0..<count).map { Hit(database: 1, subscription: "s\($0)", created: created, alertBody: text) },
            backfill: isPast ? created : 0)
        try await append(.compact(hits), of: user, at: change)
    }

    /// A subscription that was created at a sequence begins in the past: of which there is one partition.
    func beginPast(_ created: Int64, of user: UserRecordName) async throws {
        try await append(.backfillBegun(BackfillBegun(created: created, partitions: 1)), of: user, at: created)
    }

    /// All of a subscription's backfill is delivered.
    func endPast(_ created: Int64, of user: UserRecordName) async throws {
        try await append(.backfillShareDone(BackfillShareDone(created: created)), of: user, at: created)
    }

    private func append(_ event: DeliveryEntry.Event, of user: UserRecordName, at sequence: Int64) async throws {
        var source = SourceID.store(7)
        switch event {
        case .hits(let hits) where hits.backfill == 0, .sharedHits(let hits) where hits.backfill == 0:
            source = SourceID(origin: "changes.public", incarnation: 5, partition: 0)
        case .hits, .backfillShareDone:
            source = SourceID(origin: DeliveryEntry.pastOrigin(.public), incarnation: 5, partition: 0)
        default: break
        }
        let entry = DeliveryEntry(
            source: SourcePositionMessage(SourcePosition(source: source, offset: sequence)), user: user.rawValue,
            time: sequence, event: event)
        try await writer.append([
            OutgoingEntry(
                TopicPartition(layout.deliveries), key: layout.userKey(user), value: entry.encoded(),
                timestamp: LogTimestamp(milliseconds: sequence))
        ])
    }

    /// What a user's journal holds.
    func journal(of user: UserRecordName) async throws -> [FeedEntry] {
        var journal: [FeedEntry] = []
        for entry in try await memory.follow(TopicPartition(layout.journals), from: 0).entriesToEnd()
        where entry.key == Array(user.rawValue.utf8) {
            if let value = entry.value {
                journal.append(try FeedEntry(decoding: value))
            } else {
                // It removes those before it.
                journal = []
            }
        }
        return journal
    }

    /// The entries of a user's journal in short.
    func contents(of user: UserRecordName) async throws -> [String] { Self.short(try await journal(of: user)) }

    /// What a device sees of its user's journal, in short.
    func seen(by device: String, _ epoch: Int64, of user: UserRecordName) async throws -> [String] {
        Self.short(Life(user: user.rawValue, device: device, epoch: epoch).seen(of: try await journal(of: user)))
    }

    /// Entries in short: `registered`, or the sequence of a change.
    static func short(_ entries: [FeedEntry]) -> [String] {
        entries.map { entry in
            switch entry.entry {
            case .query(let query): "\(query.change)"
            case .registered: "registered"
            case .omitted(let omitted): (omitted.isRest ? "rest of " : "omitted ") + "\(omitted.count)"
            default: "other"
            }
        }
    }

    /// The offset that is committed with the state.
    func committed() async throws -> Int64? {
        let partition = TopicPartition(layout.deliveries)
        return try await memory.committedPositions(of: NotificationDelivery.group(layout), [partition])[partition]?
            .offset
    }

    func untilCommitted(_ offset: Int64) async throws {
        try await eventually("the commit of \(offset)") { try await committed() == offset }
    }

    /// Waits until the stage says that it cannot go on, and returns why.
    func refusal() async throws -> String {
        try await answer("the refusal") {
            StageBoard.shared.obstacles.first { $0.contains(layout.deliveries.rawValue) && $0.contains("fails") }
        }
    }
}
