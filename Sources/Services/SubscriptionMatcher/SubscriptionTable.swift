import CloudMessages
import CloudModel
import Matching
import Poison
import ProtocolBuffers

/// All versions of all subscriptions. The version that was in effect when a change was committed decides, so that an
/// old change that is read again has the same hits.
struct SubscriptionTable: ~Copyable {
    private var index = SubscriptionIndex()
    /// A version's place is its ID in the index.
    private var versions = VersionStore()
    /// Versions at which a process has died: not in the index, each looked at by itself.
    private var suspects: Set<Int> = []

    /// Places that changed since the image of the index was begun; nil while there is none.
    private var touched: Set<Int>?

    /// Subscriptions with a backfill, by the store that numbered them.
    private var backfills: [DatabaseScope: [UInt64: BackfillList]] = [:]

    /// The highest sequence of a subscription event that has come.
    private(set) var reached = CommitSequence.zero

    /// The number of versions.
    var versionCount: Int { versions.count }

    /// Returns true if nothing is held for any version.
    var isVacant: Bool { versions.count == 0 && suspects.isEmpty && index.isVacant }

    /// Takes an event from the topic; the key names the version. Read as a set: duplicates change nothing.
    /// - Parameters:
    ///   - offset: the offset in the topic.
    ///   - isSuspect: true if a process has died at it.
    mutating func apply(key: [UInt8], _ event: SubscriptionEvent, at offset: Int64 = 0, isSuspect: Bool = false) throws
    {
        apply(PreparedVersion(try SubscriptionVersion(event, at: offset), entry: key), isSuspect: isSuspect)
    }

    /// Takes a version; the key of its entry names it.
    mutating func apply(_ version: PreparedVersion, isSuspect: Bool) {
        reached = max(reached, version.packed.sequence)
        guard let id = versions.insert(version) else { return }
        touched?.insert(id)
        noteBackfill(version)
        guard let subscription = version.subscription else { return }
        if isSuspect { suspects.insert(id) } else { index.insert(subscription, id: id) }
    }

    private mutating func noteBackfill(_ version: PreparedVersion) {
        guard version.packed.hasPast else { return }
        backfills[version.key.database, default: [:]][version.store, default: BackfillList(store: version.store)]
            .insert(version.packed.created, version.key)
    }

    /// Notes that all subscription events up to a sequence have come, or been removed.
    mutating func noteReached(_ sequence: CommitSequence) { reached = max(reached, sequence) }

    /// Makes room for so many versions.
    mutating func reserve(_ count: Int) {
        versions.reserve(count)
    }

    /// Forgets a version that no retained change can need.
    mutating func remove(key: [UInt8]) {
        guard let id = versions.place(ofEntry: key), let version = versions[id] else { return }
        touched?.insert(id)
        if suspects.remove(id) == nil { index.remove(id: id) }
        let content = version.hasPast ? versions.content(version) : nil
        versions.remove(id, entry: key)
        guard let content, let saved = content.saved, self.version(of: content.key, created: saved.created) == nil
        else { return }
        backfills[content.key.database]?[content.store]?.remove(saved.created)
    }

    /// The last creation of a subscription with a backfill, in each database, of each store.
    var lastBackfills: [DatabaseScope: [UInt64: CommitSequence]] {
        backfills.mapValues { $0.compactMapValues(\.last) }
    }

    /// The first subscriptions of a database with a backfill that were created after those that are begun, by store.
    func backfills(
        _ count: Int, in database: DatabaseScope, after begun: [UInt64: CommitSequence]
    ) -> [(store: UInt64, items: [BackfillList.Item])] {
        (backfills[database] ?? [:]).sorted { $0.key < $1.key }.map { store, list in
            (store, list.first(count, after: begun[store] ?? .zero))
        }
    }

    /// The subscriptions of a database in a lane that were created after those that are done and are begun, by their
    /// creation; nil if there are none.
    func backfills(
        in lane: PastLane, of database: DatabaseScope, begun: [UInt64: CommitSequence]
    ) -> LaneBackfills? {
        for (store, list) in backfills[database] ?? [:] where lane.store ?? store == store {
            let items = list.items(in: lane.id, after: lane.done, upTo: begun[store] ?? .zero)
            guard let last = items.last else { continue }
            let alive = items.filter { isAlive($0.key, created: $0.created) }
            return LaneBackfills(
                store: store, last: last.created, marks: items,
                alive: alive.compactMap { version(of: $0.key, created: $0.created)?.saved })
        }
        return nil
    }

    /// Returns true if a subscription of this creation was not deleted.
    private func isAlive(_ key: SubscriptionKey, created: CommitSequence) -> Bool {
        guard let last = versions.latest(key), let version = versions[last], !version.isDeletion else { return false }
        return version.created == created
    }

    /// The last version of a subscription that was saved since a creation of it.
    private func version(of key: SubscriptionKey, created: CommitSequence) -> SubscriptionVersion? {
        var next = versions.latest(key)
        while let id = next, let version = versions[id] {
            if !version.isDeletion, version.created == created { return versions.content(version) }
            next = versions.previous(version)
        }
        return nil
    }

    /// The subscriptions that fire on a change: of each the last version saved before it, unless it was deleted by
    /// then. Several may ask at the same time, each with a space of its own.
    func hits(
        of change: Change, in space: inout MatchingSpace, _ poison: PoisonWatch? = nil
    ) -> [FiredSubscription] {
        let hits = index.withMatches(of: change, in: &space) { found in
            found.compactMap { number -> FiredSubscription? in
                guard let version = versions[Int(number)], version.sequence < change.sequence,
                    version.end >= change.sequence
                else { return nil }
                return versions.fired(version)
            }
        }
        if suspects.isEmpty { return hits }
        return hits + suspects.compactMap { hit(of: change, versions[$0]!, poison) }
    }

    /// The same, by the plain walk over all versions, with a mark at each.
    func hitsByWalk(of change: Change, _ poison: PoisonWatch?) -> [FiredSubscription] {
        (0..<versions.placeCount).compactMap { id in versions[id].flatMap { hit(of: change, $0, poison) } }
    }

    /// The subscription of a version, if it is in effect for a change and fires on it.
    private func hit(of change: Change, _ version: PackedVersion, _ poison: PoisonWatch?) -> FiredSubscription? {
        guard version.sequence < change.sequence, version.end >= change.sequence, let saved = versions.saved(version)
        else { return nil }
        return poison.blame(version.offset) { saved.subscription.fires(on: change) } ? versions.fired(version) : nil
    }

    /// Takes over the observations of a space, and files some subscriptions again by them when that is due.
    mutating func note(_ space: inout MatchingSpace) {
        index.note(&space)
        if index.isDueToAdapt { adapt() }
    }

    /// Files subscriptions again whose bucket more changes look into than was expected: few at a time, as changes wait.
    private mutating func adapt() {
        for id in index.crowded() {
            guard let version = versions[id], let saved = versions.saved(version) else { continue }
            index.insert(saved.subscription, id: id)
        }
    }
}

/// The parts of a snapshot, and the table made of them again.
extension SubscriptionTable {
    private static let coding = PredicateCoding(
        encode: { PredicateMessage($0).encoded() }, decode: { try PredicateMessage(decoding: $0).predicate() })

    // MARK: Writing

    /// From now on the places of versions that come and go are noted: an image that is made later may know others
    /// there.
    mutating func beginSnapshot() { touched = [] }

    /// Ends what `beginSnapshot` began.
    mutating func endSnapshot() { touched = nil }

    /// The index with its versions by their positions.
    func image() -> IndexImage { index.image(Self.coding) }

    /// The versions at some places, of which there are `placeCount`, as a snapshot holds them.
    func versions(at places: Range<Int>) -> [SnapshotVersion] {
        places.clamped(to: 0..<versions.placeCount).compactMap { place in
            versions[place].map { version in
                var message = versions.message(version)
                message.place = UInt32(place)
                // Of two entries that name one version, the one that is named elsewhere is taken as when it was read.
                message.isOutside = version.isNamedElsewhere || touched?.contains(place) ?? true
                return message
            }
        }
    }

    /// The number of places for versions, some of which may be free. A version stays at its place.
    var placeCount: Int { versions.placeCount }

    // MARK: Reading

    /// Takes over an index; `place` and `settle` follow.
    mutating func adopt(_ image: IndexImage) throws { index = try SubscriptionIndex(image, Self.coding) }

    /// Takes a version that is at its place in the index.
    /// - Throws: `SnapshotFailure` when another is there.
    mutating func place(_ version: PreparedVersion, at place: Int) throws {
        guard place < SubscriptionIndex.idsMax, versions.insert(version, at: place) else {
            throw SnapshotFailure("two versions at one place, or one at two")
        }
        reached = max(reached, version.packed.sequence)
        noteBackfill(version)
    }

    /// Makes index and versions agree, once all were placed: what the image does not know is inserted, what it knew of
    /// others goes.
    mutating func settle(_ poison: PoisonWatch?) {
        versions.collectFreePlaces()
        for id in 0..<max(versions.placeCount, index.idsEnd) {
            let version = id < versions.placeCount ? versions[id] : nil
            guard let version, !version.isDeletion else {
                index.remove(id: id)
                continue
            }
            guard !index.contains(id: id), let saved = versions.saved(version) else { continue }
            _ = poison.meet(version.offset) { deaths in
                if deaths > 0 { suspects.insert(id) } else { index.insert(saved.subscription, id: id) }
            }
        }
    }
}
