import CloudMessages
import CloudModel
import Continuity
import EventLog
import RecordStore
import Stages
import Synchronization

/// The relay's part of the identity check: it has the store and the log, so it writes the record and compares all of
/// it.
struct RelayIdentity: Sendable {
    /// The name under which the store keeps its copy of the record.
    static let reader = "identity"
    /// The name under which the store keeps the steps of a repair that is not finished.
    static let repairReader = "repair"
    /// The text there of a migration of the feeds.
    private static let migrating = "migrating"
    /// The name under which the store keeps the claims that were begun with it.
    private static let claimsReader = "claims"
    /// More than one, as an entry of a relay that died may come late.
    private static let claimsKept = 8

    let store: any RecordStore
    let layout: TopicLayout
    let log: any EventLog
    let now: @Sendable () -> Timestamp

    private var topic: IdentityTopic { IdentityTopic(log: log, layout: layout) }

    /// The records of the log that a relay has judged since its start, and the claims that are its store's.
    final class Judged: Sendable {
        fileprivate struct State {
            /// The offset of the next record; nil before the first confirmation, and after a mismatch.
            var next: Int64?
            /// The store's last sequence at the first confirmation: what another relay publishes above it is of another
            /// store.
            var base: Int64 = 0
            /// The store's last claim when the relay began: later ones in the store are no copy's.
            var first: UInt64?
            /// The claims that the relay has begun: entries that were under way when one failed may come late.
            var claims: Set<UInt64> = []
        }

        fileprivate let state = Mutex(State())

        /// Forgets the judged records: an operator has to mend what they show.
        func forget() { state.withLock { $0.next = nil } }
    }

    /// Writes the record with a claim of its own into log and store.
    /// - Parameter judged: the relay's, from its start on.
    /// - Throws: `IdentityMismatch`.
    @discardableResult
    func confirm(_ judged: Judged = Judged()) async throws -> ScopeIdentity {
        let time = LogTimestamp(now())
        // The record is read from the log itself, and before the store: rows published meanwhile are this relay's.
        let half = try await topic.half()
        let look = try await topic.look(at: time)
        let record = look.record
        let (copy, last, claims, unfinished) = try await store.read { reader in
            (
                try Self.copy(reader), try reader.settledSequence().rawValue, try Self.claims(reader),
                try Self.unfinishedWork(reader)
            )
        }
        if let unfinished { throw IdentityMismatch(layout.scope, [unfinished]) }
        let isUsed = record == nil && copy == nil ? try await isLogUsed() : false
        let differences = IdentityDifference.between(
            record: record, copy: copy, log: half, store: store.incarnation, last: last, claims: Set(claims),
            isLogUsed: isUsed)
        guard differences.isEmpty else { throw IdentityMismatch(layout.scope, differences) }
        let identity = ScopeIdentity(
            store: store.incarnation, log: half, published: max(record?.published ?? 0, copy?.published ?? 0),
            owner: .random(in: 1 ... .max))
        // A process that dies before the copy is written finds its claim at the next start.
        try await store.write(in: .whole) { try Self.keep(claim: identity.owner, beside: record?.owner, $0) }
        let from = judged.state.withLock { state in
            if state.next == nil { (state.next, state.base, state.first) = (look.next, last, claims.last) }
            state.claims.insert(identity.owner)
            return state.next!
        }
        let (earlier, next) = try await topic.claim(identity, after: look, readingFrom: from, at: time)
        for other in earlier { try await judge(other, judged) }
        try await store.write(in: .whole) { try Self.keep(identity, $0) }
        judged.state.withLock { $0.next = next }
        return identity
    }

    /// Waits until another relay has claimed the log: this one has to compare again.
    /// - Throws: `IdentityMismatch` if two stores have published.
    func watch(_ identity: ScopeIdentity, _ judged: Judged) async throws {
        let from = judged.state.withLock { $0.next ?? 0 }
        let (other, next) = try await topic.otherRecord(than: identity.owner, from: from)
        if try await !store.read(Self.isBeingRepaired) { try await judge(other, judged) }
        judged.state.withLock { $0.next = next }
    }

    /// Takes all claims from the store if another one has published: both may have given the same sequences to different
    /// changes, and only an operator can choose one.
    private func judge(_ other: ScopeIdentity, _ judged: Judged) async throws {
        let (base, first, begun) = judged.state.withLock { ($0.base, $0.first, $0.claims) }
        // A repair, and a relay of the same store, keep their claims in this store. The claim from before the start is
        // also that of a store which this one is a copy of: it has published what this store has not given.
        let (own, last) = try await store.read {
            (try begun.union(Self.claims($0, from: first)), try $0.settledSequence().rawValue)
        }
        guard other.owner != 0, other.store == store.incarnation,
            other.published > (own.contains(other.owner) ? last : base)
        else { return }
        try await store.write(in: .whole) { try $0.setPosition([], of: Self.claimsReader) }
        throw IdentityMismatch(layout.scope, [.otherOwner])
    }

    /// The last claims that were begun with this store, the newest last; none once another store has published.
    static func claims(_ reader: any StoreReader) throws -> [UInt64] {
        guard let kept = try reader.position(claimsReader) else { return [] }
        return String(decoding: kept, as: UTF8.self).split(separator: " ").compactMap { UInt64($0) }
    }

    /// The claims that were begun with this store since one of them, and that one: a copy that was made before has none
    /// of them.
    private static func claims(_ reader: any StoreReader, from claim: UInt64?) throws -> ArraySlice<UInt64> {
        let known = try claims(reader)
        return known[(known.firstIndex { $0 == claim } ?? 0)...]
    }

    /// Keeps a claim before it is made.
    /// - Parameter accepted: the claim of the record in the log. It stays, however many of those that were begun since
    ///   were not made.
    static func keep(claim: UInt64, beside accepted: UInt64? = nil, _ transaction: any StoreTransaction) throws {
        let known = try Self.claims(transaction)
        let others = known.filter { $0 != accepted }.suffix(claimsKept - 2)
        let claims = others + known.filter { $0 == accepted } + [claim]
        try transaction.setPosition(Array(claims.map(String.init).joined(separator: " ").utf8), of: claimsReader)
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

    /// Notes in the store that work has begun, and its steps.
    static func begin(
        _ work: ScopeIdentity.Work, _ steps: [RepairPlan.Step], _ transaction: any StoreTransaction
    ) throws {
        let lines = [work == .feedMigration ? migrating : "begun"] + steps.map(\.text)
        try transaction.setPosition(Array(lines.joined(separator: "\n").utf8), of: repairReader)
    }

    /// The difference that stands for work which was begun and is not finished; nil where there is none.
    static func unfinishedWork(_ reader: any StoreReader) throws -> IdentityDifference? {
        guard let text = try reader.position(repairReader), !text.isEmpty else { return nil }
        return text == Array(migrating.utf8) ? .migrationUnfinished : .repairUnfinished
    }

    /// Returns true if a repair or a migration was begun and is not finished.
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

    /// As `checkUnchanged`, however many rows were published meanwhile.
    static func checkOwned(_ identity: ScopeIdentity, _ reader: any StoreReader) throws {
        var known = try copy(reader)
        known?.published = identity.published
        guard try !isBeingRepaired(reader), known == identity else {
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
