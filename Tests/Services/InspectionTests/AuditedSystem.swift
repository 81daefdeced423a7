import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import NotificationDelivery
import ProtocolBuffers
import RecordService
import RecordStore
import SubscriptionMatcher
import Synchronization
import TestSupport
import Testing

@testable import Inspection

/// A system with a random history: two users with devices that come and go, subscriptions that come and go, and changes
/// that some of them fire on.
struct AuditedSystem {
    let system: TestSystem
    let memory: MemoryLog
    let alice: Caller
    let bob: Caller
    private(set) var devices: [(device: Device, caller: Caller)] = []
    private var random: SeededGenerator
    private var subscriptions = 0

    init(seed: UInt64) async throws {
        memory = MemoryLog()
        system = try await TestSystem(log: memory, partitions: 2)
        alice = try await system.user("alice")
        bob = try await system.user("bob")
        random = SeededGenerator(seed: seed)
        try await register("phone", alice)
        try await register("tablet", bob)
        try await subscribe("all", alice)
        try await subscribe("all", bob)
    }

    /// A system in which Alice's subscription `digest` shapes her journal to digests of three changes, after so many
    /// saves of Bob's.
    static func digesting(_ saves: Int64) async throws -> AuditedSystem {
        let system = try await AuditedSystem(seed: 1)
        try await system.subscribe(
            "digest", system.alice, atLeast: -1,
            policy: DeliveryPolicy(.digest(windowSeconds: 3600, count: 3), shapesFeed: true))
        for number in 0..<saves { try await system.save("r", number, system.bob) }
        try await system.settle()
        return system
    }

    /// Does something, so many times, and waits until everything is delivered.
    mutating func live(_ steps: Int) async throws {
        for step in 0..<steps {
            let caller = Bool.random(using: &random) ? alice : bob
            switch Int.random(in: 0..<12, using: &random) {
            case 0: try await register("device\(step)\(caller.user == alice.user ? "a" : "b")", caller)
            case 1: try await subscribe("s\(step)", caller, atLeast: Int64.random(in: 0..<10, using: &random))
            case 2: try await subscribe("once\(step)", caller, firesOnce: true)
            case 3: try await unsubscribe("s\(Int.random(in: 0..<max(1, step), using: &random))", caller)
            case 4: try await markRead(caller)
            default: try await save(caller)
            }
        }
        try await settle()
    }

    func stop() async { await system.stop() }

    /// The log of the system.
    var log: any EventLog { system.log }

    /// Audits it, or a log that differs from its own.
    func audit(
        _ log: (any EventLog)? = nil, _ plan: AuditPlan = AuditPlan()
    ) async throws -> (done: AuditProgress, findings: [AuditFinding]) {
        let findings = Mutex<[AuditFinding]>([])
        let done = try await Audit(evidence(on: log ?? self.log), plan) { finding in
            findings.withLock { $0.append(finding) }
        }.run()
        return (done, findings.withLock { $0 })
    }

    /// All that a partition holds.
    static func entries(_ partition: TopicPartition, _ log: any EventLog) async throws -> [LogEntry] {
        var entries: [LogEntry] = []
        try await log.readToEnd(of: partition) { entries.append($0) }
        return entries
    }

    /// A user's journal: the entries with the user's key in its partition.
    func journal(of user: UserRecordName) async throws -> [LogEntry] {
        let key = system.layout.userKey(user)
        return try await Self.entries(system.layout.journals(of: user), log).filter { $0.key == key }
    }

    /// The log with other entries in a user's journal. Those of other users in the partition keep their places between
    /// them, and all are numbered again.
    func tampered(_ journal: [LogEntry], of user: UserRecordName) async throws -> TamperedLog {
        let (partition, key) = (system.layout.journals(of: user), system.layout.userKey(user))
        let all = try await Self.entries(partition, log)
        let merged = journal + all.filter { $0.key != key }
        var entries = merged.enumerated().sorted { one, other in
            (one.element.offset, one.offset) < (other.element.offset, other.offset)
        }.map(\.element)
        for index in entries.indices { entries[index].offset = all[0].offset + Int64(index) }
        return TamperedLog(log, [partition: entries])
    }

    /// Waits until the stages have come to the ends of their topics.
    func settle() async throws {
        let evidence = evidence(on: log)
        try await eventually("everything to be delivered") {
            // First the unpublished rows: later ones are behind the ends that are read then.
            let rows = try await system.service.store.read { try $0.outbox(after: .zero, limit: 1, bytesMax: 1 << 20) }
            let frontier = try await Frontier.look(at: evidence) { _ in true }
            let bounds = try await memory.bounds(of: evidence.changes)
            return rows.isEmpty && frontier.behind == 0
                && bounds.allSatisfy { $0.value.end == frontier.matched[$0.key] ?? 0 }
        }
    }

    /// Waits until all backfills are delivered, and stage 1 has committed so.
    func settlePasts() async throws {
        let evidence = evidence(on: log)
        try await eventually("the pasts") {
            let last = try await evidence.subscriptions { _ in true }.pasts.map(\.created).max() ?? .zero
            let frontier = try await Frontier.look(at: evidence) { _ in true }
            let isDelivered = evidence.changes.filter { $0.topic == system.layout.changes(.public) }.allSatisfy {
                frontier.pastDone[$0]?.values.max() ?? .zero >= last
            }
            let users = try await evidence.users { _ in true }
            return isDelivered && users.values.allSatisfy(\.held.isEmpty)
        }
        try await settle()
    }

    /// The evidence of a log over the system's own.
    /// - Parameter uncommitted: groups that have no positions yet.
    func evidence(on log: any EventLog, without uncommitted: Set<GroupName> = []) -> LogEvidence {
        LogEvidence(log: log, layout: system.layout, groups: groups) { [memory] group, partitions in
            uncommitted.contains(group) ? [:] : try await memory.positions(of: group, partitions)
        }
    }

    /// The groups of the stages.
    var groups: LogEvidence.Groups {
        LogEvidence.Groups(
            matching: SubscriptionMatcher.group(system.layout), delivery: NotificationDelivery.group(system.layout))
    }

    private mutating func register(_ id: String, _ caller: Caller) async throws {
        let device = try await system.service.registerDevice(
            DeviceID(trusted: id), name: "", platform: "", for: caller)
        devices.append((device, caller))
    }

    func subscribe(
        _ id: String, _ caller: Caller, atLeast least: Int64? = nil, firesOnce: Bool = false,
        from start: StartingFrom = .now, type: String = "Task", policy: DeliveryPolicy? = nil
    ) async throws {
        let filters = least.map {
            [
                GivenFilter(
                    field: .field(FieldName(trusted: "n")), comparator: .greaterThanOrEquals,
                    operand: .value(GivenValue(.int64($0), isTypeExplicit: false)))
            ]
        }
        var draft = SubscriptionDraft(
            id: SubscriptionID(trusted: id),
            query: GivenQuery(recordType: RecordType(trusted: type), filters: filters ?? []), zone: nil,
            firesOn: [.create, .update, .delete], firesOnce: firesOnce,
            notificationInfo: NotificationInfo(alertBody: "x", shouldBadge: false, policy: policy))
        draft.startingFrom = start
        let results = try await system.service.modifySubscriptions([.create(draft)], in: .public, for: caller)
        // A random one may be there already.
        guard start != .now || policy != nil else { return }
        #expect(!results.contains { if case .failed = $0 { true } else { false } }, "\(results)")
    }

    func unsubscribe(_ id: String, _ caller: Caller) async throws {
        _ = try await system.service.modifySubscriptions(
            [.delete(SubscriptionID(trusted: id))], in: .public, for: caller)
    }

    private mutating func save(_ caller: Caller) async throws {
        var caller = caller
        // A device is not notified of its own change.
        if Int.random(in: 0..<3, using: &random) == 0 {
            caller.client = devices.filter { $0.caller.user == caller.user }.randomElement(using: &random)?.device.id
        }
        try await save(
            "r\(Int.random(in: 0..<6, using: &random))-\(caller.user!)", Int64.random(in: 0..<10, using: &random),
            caller)
    }

    func save(_ name: String, _ number: Int64, _ caller: Caller, type: String = "Task") async throws {
        let operation = RecordOperation(
            kind: .forceUpdate, recordName: RecordName(trusted: name), recordType: RecordType(trusted: type),
            fields: [FieldName(trusted: "n"): GivenValue(.int64(number), isTypeExplicit: false)])
        _ = try await system.service.modifyRecords([operation], in: .public, for: caller)
    }

    private mutating func markRead(_ caller: Caller) async throws {
        guard let device = devices.filter({ $0.caller.user == caller.user }).randomElement(using: &random)?.device
        else {
            return
        }
        let change = CommitSequence(Int64.random(in: 1..<60, using: &random))
        try await system.service.markRead([change], on: device.id, for: caller)
    }
}

/// A log in which some partitions hold something else.
final class TamperedLog: ForwardingLog {
    let base: any EventLog
    private let entries: [TopicPartition: [LogEntry]]

    init(_ base: any EventLog, _ entries: [TopicPartition: [LogEntry]]) {
        self.base = base
        self.entries = entries
    }

    func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        var bounds = try await base.bounds(of: partitions)
        for (partition, entries) in entries {
            guard let start = bounds[partition]?.start else { continue }
            bounds[partition] = OffsetBounds(start: start, end: (entries.last?.offset ?? start - 1) + 1)
        }
        return bounds
    }

    func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        guard let entries = entries[partition] else { return try await base.follow(partition, from: offset) }
        return GivenEntries(entries.filter { $0.offset >= offset }, from: offset)
    }
}

/// Gives entries, and then the end.
private final class GivenEntries: LogFollower {
    private let entries: Mutex<[LogEntry]>
    private let end: Int64

    init(_ entries: [LogEntry], from offset: Int64) {
        self.entries = Mutex(entries)
        end = entries.last.map { $0.offset + 1 } ?? offset
    }

    func next() async throws -> LogBatch {
        LogBatch(entries: entries.withLock { exchange(&$0, with: []) }, nextOffset: end, isAtEnd: true)
    }

    func close() {}
}
