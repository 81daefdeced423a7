import CloudMessages
import CloudModel
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
    /// The name under which the store keeps the claims that were begun with it.
    private static let claimsReader = "claims"
    /// More than one, as an entry of a relay that died may come late.
    private static let claimsKept = 8

    let store: any RecordStore
    let layout: TopicLayout
    let log: any EventLog
    let now: @Sendable () -> Timestamp

    private var topic: IdentityTopic { IdentityTopic(log: log, layout: layout) }

    /// The place to which a relay has judged the log's records, and the measure by which it judges.
    struct Watched: Sendable {
        /// The offset of the next record.
        var next: Int64
        /// The store's last sequence when the relay began: what another relay publishes above it is of another store.
        var base: Int64
        /// The claims that the relay has made: entries that were under way when it failed may come late.
        var claims: Set<UInt64> = []
    }

    /// The judged records of a relay, for its next comparison; nil at its start.
    final class Judged: Sendable {
        private let state = Mutex<Watched?>(nil)
        var watched: Watched? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// Writes the record with a claim of its own into log and store.
    /// - Parameter watched: the records that the relay judged before it compares again; nil at its start.
    /// - Throws: `IdentityMismatch`.
    func confirm(
        since watched: Watched? = nil
    ) async throws -> (identity: ScopeIdentity, watched: Watched) {
        let time = LogTimestamp(now())
        // The record is read from the log itself, and before the store: rows published meanwhile are this relay's.
        let half = try await topic.half()
        let look = try await topic.look(at: time)
        let record = look.record
        let (copy, last, claims, isBeingRepaired) = try await store.read { reader in
            (
                try Self.copy(reader), try reader.settledSequence().rawValue, try Self.claims(reader),
                try Self.isBeingRepaired(reader)
            )
        }
        guard !isBeingRepaired else { throw IdentityMismatch(layout.scope, [.repairUnfinished]) }
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
        var watched = watched ?? Watched(next: look.next, base: last)
        let (earlier, next) = try await topic.claim(identity, after: look, readingFrom: watched.next, at: time)
        for other in earlier where other.owner != claims.last { try await judge(other, by: watched) }
        try await store.write(in: .whole) { try Self.keep(identity, $0) }
        watched.next = next
        watched.claims.insert(identity.owner)
        return (identity, watched)
    }

    /// Waits until another relay has claimed the log.
    /// - Returns: the records that are judged then: the relay has to compare again, from there.
    /// - Throws: `IdentityMismatch` if two stores have published.
    func watch(_ identity: ScopeIdentity, from watched: Watched) async throws -> Watched {
        let (other, next) = try await topic.otherRecord(than: identity.owner, from: watched.next)
        // A repair, and a relay of the same store, keep their claims in this store.
        let isOfStore = try await store.read { reader in
            try Self.isBeingRepaired(reader) || Self.claims(reader).last == other.owner
        }
        if !isOfStore { try await judge(other, by: watched) }
        var watched = watched
        watched.next = next
        return watched
    }

    /// Takes all claims from the store if another one has published: both may have given the same sequences to different
    /// changes, and only an operator can choose one.
    private func judge(_ other: ScopeIdentity, by watched: Watched) async throws {
        guard other.owner != 0, !watched.claims.contains(other.owner), other.store == store.incarnation,
            other.published > watched.base
        else { return }
        try await store.write(in: .whole) { try $0.setPosition([], of: Self.claimsReader) }
        throw IdentityMismatch(layout.scope, [.otherOwner])
    }

    /// The last claims that were begun with this store, the newest last; none once another store has published.
    static func claims(_ reader: any StoreReader) throws -> [UInt64] {
        guard let kept = try reader.position(claimsReader) else { return [] }
        return String(decoding: kept, as: UTF8.self).split(separator: " ").compactMap { UInt64($0) }
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
