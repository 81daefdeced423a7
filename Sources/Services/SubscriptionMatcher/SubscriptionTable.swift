import CloudMessages
import CloudModel
import Matching
import Stages

/// All versions of all subscriptions. The version that was in effect when a change was committed decides, so that an old
/// change that is read again has the same hits.
struct SubscriptionTable: ~Copyable {
    /// A save, or a deletion, of a subscription. Its place is its ID in the index.
    private struct Version {
        var key: SubscriptionKey
        var sequence: CommitSequence
        /// The sequence of the version after it: it is in effect for changes above its own and up to that.
        var end = CommitSequence(.max)
        /// The version before it.
        var previous: Int?
        /// Nil when it is a deletion.
        var saved: SavedSubscription?
        /// The offset in the topic.
        var offset: Int64
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
        let subscription = try event.key()
        let sequence = try event.sequence()
        let saved = try event.saved()
        reached = max(reached, sequence)
        guard ids[key] == nil else { return }
        let id = place(Version(key: subscription, sequence: sequence, saved: saved, offset: offset))
        ids[key] = id
        link(id)
        guard let saved else { return }
        if isSuspect { suspects.insert(id) } else { index.insert(saved.subscription, id: id) }
    }

    /// Notes that all subscription events up to a sequence have come, or been removed.
    mutating func noteReached(_ sequence: CommitSequence) { reached = max(reached, sequence) }

    /// Forgets a version that no retained change can need.
    mutating func remove(key: [UInt8]) {
        guard let id = ids.removeValue(forKey: key) else { return }
        if suspects.remove(id) == nil { index.remove(id: id) }
        unlink(id)
        versions[id] = nil
        freeIDs.append(id)
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
