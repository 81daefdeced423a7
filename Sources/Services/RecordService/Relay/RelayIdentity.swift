import CloudMessages
import CloudModel
import EventLog
import RecordStore
import Stages

/// The relay's part of the identity check: it has the store and the log, so it writes the record and compares all of
/// it.
struct RelayIdentity: Sendable {
    /// The name under which the store keeps its copy of the record.
    static let reader = "identity"
    /// The name under which the store keeps the steps of a repair that is not finished.
    static let repairReader = "repair"
    /// The name under which the store keeps the last claim that it began.
    private static let claimReader = "claim"

    let store: any RecordStore
    let layout: TopicLayout
    let log: any EventLog
    let now: @Sendable () -> Timestamp

    private var topic: IdentityTopic { IdentityTopic(log: log, layout: layout) }

    /// Writes the record with a claim of its own into log and store.
    /// - Returns: the record, and the offset after it in the topic.
    /// - Throws: `IdentityMismatch`.
    func confirm() async throws -> (identity: ScopeIdentity, next: Int64) {
        let time = LogTimestamp(now())
        // The record is read from the log itself, and before the store: rows published meanwhile are this relay's.
        let half = try await topic.half()
        let look = try await topic.look(at: time)
        let record = look.record
        let (copy, last, claims, isBeingRepaired) = try await store.read { reader in
            (
                try Self.copy(reader), try reader.lastSequence().rawValue, try Self.claims(reader),
                try Self.isBeingRepaired(reader)
            )
        }
        guard !isBeingRepaired else { throw IdentityMismatch(layout.scope, [.repairUnfinished]) }
        let isUsed = record == nil && copy == nil ? try await isLogUsed() : false
        let differences = IdentityDifference.between(
            record: record, copy: copy, log: half, store: store.incarnation, last: last, claims: claims,
            isLogUsed: isUsed)
        guard differences.isEmpty else { throw IdentityMismatch(layout.scope, differences) }
        let identity = ScopeIdentity(
            store: store.incarnation, log: half, published: max(record?.published ?? 0, copy?.published ?? 0),
            owner: .random(in: 1 ... .max))
        // A process that dies before the copy is written finds its claim at the next start.
        try await store.write { try Self.keep(claim: identity.owner, $0) }
        let next = try await topic.claim(identity, after: look, at: time)
        try await store.write { try Self.keep(identity, $0) }
        return (identity, next)
    }

    /// Waits until another relay has claimed the log.
    /// - Throws: `StageRefusal` if the relay has to compare again; `IdentityMismatch` if two stores have published.
    func watch(_ identity: ScopeIdentity, from offset: Int64) async throws {
        let other = try await topic.otherRecord(than: identity.owner, from: offset)
        let isOurs = try await store.read { reader in
            try Self.isBeingRepaired(reader) || Self.claims(reader).contains(other.owner)
        }
        guard !isOurs, other.store == identity.store, other.published > identity.published else {
            throw StageRefusal("another relay has claimed the log: it is compared again")
        }
        // Both have given the same sequences to different changes: only an operator can choose one.
        try await store.write { try Self.keep(claim: nil, $0) }
        throw IdentityMismatch(layout.scope, [.otherOwner])
    }

    /// The claims that the store has made: that of its copy, and one that may not have come to its end. None after
    /// another store has published.
    static func claims(_ reader: any StoreReader) throws -> Set<UInt64> {
        let copy = try copy(reader)?.owner
        guard let kept = try reader.position(claimReader) else { return Set([copy].compactMap(\.self)) }
        guard let claim = UInt64(String(decoding: kept, as: UTF8.self)) else { return [] }
        return Set([copy, claim].compactMap(\.self))
    }

    /// Keeps a claim before it is made; nil takes all away.
    static func keep(claim: UInt64?, _ transaction: any StoreTransaction) throws {
        try transaction.setPosition(Array((claim.map { "\($0)" } ?? "none").utf8), of: claimReader)
    }

    /// The entry with the end that the log will have, in one append with the rows that bring it there: it is below the
    /// readers' end for one append at most.
    func entry(_ identity: ScopeIdentity, at time: Timestamp) -> OutgoingEntry {
        topic.entry(identity, at: LogTimestamp(time))
    }

    /// The store's copy of the record.
    static func copy(_ reader: any StoreReader) throws -> ScopeIdentity? {
        try reader.position(Self.reader).map { try ScopeIdentity(decoding: $0) }
    }

    /// Returns true if a repair was begun and is not finished.
    static func isBeingRepaired(_ reader: any StoreReader) throws -> Bool {
        try reader.position(repairReader)?.isEmpty == false
    }

    /// Checks that nobody has repaired anything since a relay began: it would put its own record back.
    /// - Throws: `StageRefusal`, upon which the relay begins again and compares.
    static func checkUnchanged(_ identity: ScopeIdentity, _ reader: any StoreReader) throws {
        guard try !isBeingRepaired(reader), try copy(reader) == identity else {
            throw StageRefusal("what belongs together was changed by a repair: it is compared again")
        }
    }

    /// As `check`, while published rows may not be removed yet: the copy may know of fewer published rows.
    static func checkHalves(_ identity: ScopeIdentity, _ reader: any StoreReader) throws {
        var known = try copy(reader)
        if let published = known?.published, published <= identity.published { known?.published = identity.published }
        guard try !isBeingRepaired(reader), known == identity else {
            throw StageRefusal("what belongs together was changed by a repair: it is compared again")
        }
    }

    /// Stores the copy.
    static func keep(_ identity: ScopeIdentity, _ transaction: any StoreTransaction) throws {
        try transaction.setPosition(identity.encoded, of: Self.reader)
    }

    /// Returns true if somebody has published here: a new store must not take the log of another.
    func isLogUsed() async throws -> Bool {
        let topics = DatabaseScope.allCases.map(layout.changes) + [layout.deliveries]
        let partitions = topics.flatMap { topic in (0..<layout.partitions).map { TopicPartition(topic, $0) } }
        return try await log.bounds(of: partitions + [TopicPartition(layout.subscriptions)]).values.contains {
            $0.end > 0
        }
    }
}
