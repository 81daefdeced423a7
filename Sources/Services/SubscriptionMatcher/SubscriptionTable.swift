import CloudModel
import EventLog
import Matching

/// All versions of all subscriptions: which of them was in effect when a change was committed decides, so that reading
/// an old change again gives the same hits.
struct SubscriptionTable {
    /// A save, or a deletion, of a subscription.
    private struct Version {
        var sequence: Sequence
        /// Nil when it is a deletion.
        var saved: SavedSubscription?
        var id: Int
    }

    /// The versions of each subscription, ascending.
    private var versions: [SubscriptionKey: [Version]] = [:]
    private var matcher = ReferenceMatcher()
    private var keys: [Int: SubscriptionKey] = [:]
    private var ids: [[UInt8]: Int] = [:]
    private var nextID = 1

    /// The highest sequence of a subscription event that has come.
    private(set) var reached = Sequence.zero

    /// How many versions there are.
    var versionCount: Int { keys.count }

    /// Takes an event from the topic; the key names the version. Read as a set: repeats change nothing.
    mutating func apply(key: [UInt8], _ event: SubscriptionEvent) throws {
        let subscription = try event.key()
        let sequence = try event.sequence()
        let saved = try event.saved()
        reached = max(reached, sequence)
        guard ids[key] == nil else { return }
        let version = Version(sequence: sequence, saved: saved, id: nextID)
        nextID += 1
        ids[key] = version.id
        keys[version.id] = subscription
        var all = versions[subscription] ?? []
        all.insert(version, at: all.firstIndex { $0.sequence > sequence } ?? all.endIndex)
        versions[subscription] = all
        if let saved { matcher.insert(saved.subscription, id: version.id) }
    }

    /// Forgets a version that no retained change can need.
    mutating func remove(key: [UInt8]) {
        guard let id = ids.removeValue(forKey: key), let subscription = keys.removeValue(forKey: id) else { return }
        matcher.remove(id: id)
        versions[subscription]?.removeAll { $0.id == id }
        if versions[subscription]?.isEmpty == true { versions[subscription] = nil }
    }

    /// The subscriptions that fire on a change: of each the last version saved before it, unless it was deleted by then.
    func hits(of change: Change) -> [SavedSubscription] {
        matcher.matches(of: change).compactMap { id in
            guard let key = keys[id],
                let version = versions[key]?.last(where: { $0.sequence < change.sequence }), version.id == id
            else { return nil }
            return version.saved
        }
    }
}
