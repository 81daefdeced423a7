import CloudMessages
import CloudModel
import EventLog
import Matching

/// All versions of subscriptions in the log. Finds the version in effect at a change, and whether it fires, by the
/// plain matcher.
struct SubscriptionHistory {
    /// A save or a deletion.
    struct Version {
        var key: SubscriptionKey
        var sequence: CommitSequence
        /// The version after it: this one is in effect for changes above its own sequence and up to that.
        var end = CommitSequence(.max)
        var created: CommitSequence
        /// The store that numbered it.
        var store: UInt64
        /// Without the look of its notifications; nil when it is a deletion.
        var saved: SavedSubscription?
        /// The offset in the topic.
        var offset: Int64

        func isInEffect(at change: CommitSequence) -> Bool { sequence < change && change <= end }
    }

    /// A subscription that begins in the past, from its creation on.
    struct Past {
        /// The place of its first version that is kept.
        var version: Int
        var created: CommitSequence
        /// The store that numbered it.
        var store: UInt64
        /// True if it was deleted: then its past may have ended anywhere.
        var isDeleted: Bool
    }

    private var events: [[UInt8]: Version] = [:]
    /// Subscriptions that begin in the past, by user, database and subscription.
    private(set) var pasts: [Past] = []
    /// By subscription and sequence, once sealed.
    private(set) var versions: [Version] = []
    private var matcher = ReferenceMatcher()

    /// Takes an entry of the topic; nil removes the version of the key.
    mutating func take(_ key: [UInt8], _ event: SubscriptionEvent?, at offset: Int64) {
        guard let event else {
            events[key] = nil
            return
        }
        guard events[key] == nil, let subscription = try? event.key(), let sequence = try? event.sequence(),
            var saved = try? Optional.some(event.saved())
        else { return }
        let policy = saved?.subscription.notificationInfo.policy
        saved?.subscription.notificationInfo = NotificationInfo(policy: policy)
        events[key] = Version(
            key: subscription, sequence: sequence, created: CommitSequence(event.created),
            store: event.source?.incarnation ?? 0, saved: saved, offset: offset)
    }

    /// Orders the versions.
    mutating func seal() {
        versions = events.values.sorted { one, other in
            if one.key.user != other.key.user { return one.key.user < other.key.user }
            return (one.key.database.rawValue, one.key.id, one.sequence)
                < (other.key.database.rawValue, other.key.id, other.sequence)
        }
        events = [:]
        for index in versions.indices {
            if index + 1 < versions.count, versions[index + 1].key == versions[index].key {
                versions[index].end = versions[index + 1].sequence
            }
            if let saved = versions[index].saved { matcher.insert(saved.subscription, id: index) }
        }
        for index in versions.indices { notePast(of: index) }
    }

    private mutating func notePast(of index: Int) {
        let version = versions[index]
        if let last = pasts.last, versions[last.version].key == version.key {
            if last.created == version.saved?.created { return }
            pasts[pasts.count - 1].isDeleted = true
        }
        guard let saved = version.saved, saved.subscription.backfill != nil else { return }
        pasts.append(Past(version: index, created: saved.created, store: version.store, isDeleted: false))
    }

    /// The subscriptions with a change in their backfill, by their indices in `pasts`.
    /// - Parameter store: the one that numbered the change.
    func pasts(of change: Change, store: UInt64) -> [Int] {
        pasts.indices.filter { place in
            let past = pasts[place]
            return past.store == store && change.sequence <= past.created
                && versions[past.version].saved?.subscription.fires(onPast: change) ?? false
        }
    }

    /// The versions that were in effect at the commit of a change, and fire on it: by user, database and subscription.
    func hits(of change: Change) -> [Int] {
        matcher.matches(of: change).filter { versions[$0].isInEffect(at: change.sequence) }
    }
}
