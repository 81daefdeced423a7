import CloudModel
import EventLog
import Matching

/// All versions of all subscriptions: which of them was in effect when a change was committed decides, so that reading
/// an old change again gives the same hits.
struct SubscriptionTable: ~Copyable {
    /// A save, or a deletion, of a subscription.
    private struct Version {
        var sequence: Sequence
        /// Nil when it is a deletion.
        var saved: SavedSubscription?
        var id: Int
    }

    /// The versions of each subscription, ascending.
    private var versions: [SubscriptionKey: [Version]] = [:]
    private var index = SubscriptionIndex()
    /// The subscription of each version; nil at IDs that are free.
    private var keys: [SubscriptionKey?] = []
    private var freeIDs: [Int] = []
    private var ids: [[UInt8]: Int] = [:]

    /// The highest sequence of a subscription event that has come.
    private(set) var reached = Sequence.zero

    /// How many versions there are.
    var versionCount: Int { ids.count }

    /// Takes an event from the topic; the key names the version. Read as a set: repeats change nothing.
    mutating func apply(key: [UInt8], _ event: SubscriptionEvent) throws {
        let subscription = try event.key()
        let sequence = try event.sequence()
        let saved = try event.saved()
        reached = max(reached, sequence)
        guard ids[key] == nil else { return }
        let version = Version(sequence: sequence, saved: saved, id: makeID(subscription))
        ids[key] = version.id
        var all = versions[subscription] ?? []
        all.insert(version, at: all.firstIndex { $0.sequence > sequence } ?? all.endIndex)
        versions[subscription] = all
        if let saved { index.insert(saved.subscription, id: version.id) }
    }

    /// An ID that is free: the index keeps arrays by them.
    private mutating func makeID(_ subscription: SubscriptionKey) -> Int {
        if let id = freeIDs.popLast() {
            keys[id] = subscription
            return id
        }
        keys.append(subscription)
        return keys.count - 1
    }

    /// Forgets a version that no retained change can need.
    mutating func remove(key: [UInt8]) {
        guard let id = ids.removeValue(forKey: key), let subscription = keys[id] else { return }
        index.remove(id: id)
        keys[id] = nil
        freeIDs.append(id)
        versions[subscription]?.removeAll { $0.id == id }
        if versions[subscription]?.isEmpty == true { versions[subscription] = nil }
    }

    /// The subscriptions that fire on a change: of each the last version saved before it, unless it was deleted by then.
    mutating func hits(of change: Change) -> [SavedSubscription] {
        let (keys, versions) = (keys, versions)
        return index.withMatches(of: change) { found in
            found.compactMap { number in
                guard let key = keys[Int(number)],
                    let version = versions[key]?.last(where: { $0.sequence < change.sequence }),
                    version.id == Int(number)
                else { return nil }
                return version.saved
            }
        }
    }
}
