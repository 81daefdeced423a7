import CloudMessages
import CloudModel
import Matching
import Stages

/// All versions of all subscriptions. The version that was in effect when a change was committed decides, so that an old
/// change that is read again has the same hits.
struct SubscriptionTable: ~Copyable {
    /// A version, linked to those before and after it. Its place is its ID in the index.
    private struct Version {
        var content: SubscriptionVersion
        /// The sequence of the version after it: it is in effect for changes above its own and up to that.
        var end = CommitSequence(.max)
        /// The version before it.
        var previous: Int?

        var key: SubscriptionKey { content.key }
        var sequence: CommitSequence { content.sequence }
        var saved: SavedSubscription? { content.saved }
        var offset: Int64 { content.offset }
    }

    private var index = SubscriptionIndex()
    /// Nil at IDs that are free.
    private var versions: [Version?] = []
    private var freeIDs: [Int] = []
    /// The last version of each subscription.
    private var latest: [SubscriptionKey: Int] = [:]
    private var ids: [[UInt8]: Int] = [:]
    /// Versions at which a process has died: not in the index, each looked at by itself.
    private var suspects: Set<Int> = []

    /// Subscriptions that tell of the past, by the store that numbered them.
    private var backfills: [DatabaseScope: [UInt64: BackfillList]] = [:]

    /// The highest sequence of a subscription event that has come.
    private(set) var reached = CommitSequence.zero

    /// The number of versions.
    var versionCount: Int { ids.count }

    /// Takes an event from the topic; the key names the version. Read as a set: duplicates change nothing.
    /// - Parameters:
    ///   - offset: the offset in the topic.
    ///   - isSuspect: true if a process has died at it.
    mutating func apply(key: [UInt8], _ event: SubscriptionEvent, at offset: Int64 = 0, isSuspect: Bool = false) throws
    {
        apply(key: key, try SubscriptionVersion(event, at: offset), isSuspect: isSuspect)
    }

    /// Takes a version; the key of its entry names it.
    mutating func apply(key: [UInt8], _ version: SubscriptionVersion, isSuspect: Bool) {
        reached = max(reached, version.sequence)
        guard ids[key] == nil else { return }
        let id = place(Version(content: version))
        ids[key] = id
        link(id)
        guard let saved = version.saved else { return }
        if saved.subscription.backfill != nil {
            backfills[version.key.database, default: [:]][version.store, default: BackfillList()].insert(
                saved.created, version.key)
        }
        if isSuspect { suspects.insert(id) } else { index.insert(saved.subscription, id: id) }
    }

    /// Notes that all subscription events up to a sequence have come, or been removed.
    mutating func noteReached(_ sequence: CommitSequence) { reached = max(reached, sequence) }

    /// The versions at some places, of which there are `placeCount`.
    func versions(at places: Range<Int>) -> [SubscriptionVersion] {
        versions[places.clamped(to: versions.indices)].compactMap { $0?.content }
    }

    /// The number of places for versions, some of which may be free. A version stays at its place.
    var placeCount: Int { versions.count }

    /// Makes room for so many versions.
    mutating func reserve(_ count: Int) {
        versions.reserveCapacity(count)
        ids.reserveCapacity(count)
        latest.reserveCapacity(count)
    }

    /// Forgets a version that no retained change can need.
    mutating func remove(key: [UInt8]) {
        guard let id = ids.removeValue(forKey: key) else { return }
        if suspects.remove(id) == nil { index.remove(id: id) }
        unlink(id)
        let removed = versions[id]
        versions[id] = nil
        freeIDs.append(id)
        guard let content = removed?.content, let saved = content.saved, saved.subscription.backfill != nil,
            version(of: content.key, created: saved.created) == nil
        else { return }
        backfills[content.key.database]?[content.store]?.remove(saved.created)
    }

    /// The last creation of a subscription that tells of the past, in each database, of each store.
    var lastBackfills: [DatabaseScope: [UInt64: CommitSequence]] {
        backfills.mapValues { $0.compactMapValues(\.last) }
    }

    /// The first subscription in a database that tells of the past and was created after those of its store that did.
    func backfill(in database: DatabaseScope, after done: [UInt64: CommitSequence]) -> SubscriptionVersion? {
        for (store, list) in backfills[database] ?? [:] {
            guard let next = list.first(after: done[store] ?? .zero) else { continue }
            return version(of: next.key, created: next.created)
        }
        return nil
    }

    /// Returns true if a subscription of this creation was not deleted.
    func isAlive(_ key: SubscriptionKey, created: CommitSequence) -> Bool {
        latest[key].flatMap { versions[$0]?.saved }?.created == created
    }

    /// The last version of a subscription that was saved since a creation of it.
    private func version(of key: SubscriptionKey, created: CommitSequence) -> SubscriptionVersion? {
        var next = latest[key]
        while let id = next, let version = versions[id] {
            if version.saved?.created == created { return version.content }
            next = version.previous
        }
        return nil
    }

    /// The subscriptions that fire on a change: of each the last version saved before it, unless it was deleted by then.
    /// Several may ask at the same time, each with a space of its own.
    func hits(
        of change: Change, in space: inout MatchingSpace, _ poison: PoisonWatch? = nil
    ) -> [SavedSubscription] {
        let hits = index.withMatches(of: change, in: &space) { found in
            found.compactMap { number -> SavedSubscription? in
                guard let version = versions[Int(number)], version.sequence < change.sequence,
                    version.end >= change.sequence
                else { return nil }
                return version.saved
            }
        }
        if suspects.isEmpty { return hits }
        return hits + suspects.compactMap { hit(of: change, versions[$0]!, poison) }
    }

    /// The same, by the plain walk over all versions, with a mark at each.
    func hitsByWalk(of change: Change, _ poison: PoisonWatch?) -> [SavedSubscription] {
        versions.compactMap { $0.flatMap { hit(of: change, $0, poison) } }
    }

    /// The subscription of a version, if it is in effect for a change and fires on it.
    private func hit(of change: Change, _ version: Version, _ poison: PoisonWatch?) -> SavedSubscription? {
        guard version.sequence < change.sequence, version.end >= change.sequence, let saved = version.saved else {
            return nil
        }
        return poison.blame(version.offset) { saved.subscription.fires(on: change) } ? saved : nil
    }

    /// Takes over the looks that a space has counted, and files some subscriptions anew by them when that is due.
    mutating func note(_ space: inout MatchingSpace) {
        index.note(&space)
        if index.isDueToAdapt { adapt() }
    }

    /// Files subscriptions again whose bucket more changes look into than was expected: few at a time, as changes wait.
    private mutating func adapt() {
        for id in index.crowded() {
            if let subscription = versions[id]?.saved?.subscription { index.insert(subscription, id: id) }
        }
    }

    /// An ID that is free: the index keeps arrays by them.
    private mutating func place(_ version: Version) -> Int {
        if let id = freeIDs.popLast() {
            versions[id] = version
            return id
        }
        versions.append(version)
        return versions.count - 1
    }

    /// Puts a version between those of its subscription, by sequence.
    private mutating func link(_ id: Int) {
        let (key, sequence) = (versions[id]!.key, versions[id]!.sequence)
        var next: Int?
        var before = latest[key]
        while let other = before, versions[other]!.sequence > sequence {
            next = other
            before = versions[other]!.previous
        }
        versions[id]!.previous = before
        if let before { versions[before]!.end = sequence }
        if let next {
            versions[id]!.end = versions[next]!.sequence
            versions[next]!.previous = id
        } else {
            latest[key] = id
        }
    }

    private mutating func unlink(_ id: Int) {
        let version = versions[id]!
        if let before = version.previous { versions[before]!.end = version.end }
        guard latest[version.key] != id else {
            latest[version.key] = version.previous
            return
        }
        var next = latest[version.key]
        while let other = next, versions[other]!.previous != id { next = versions[other]!.previous }
        if let next { versions[next]!.previous = version.previous }
    }
}
