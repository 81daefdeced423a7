import CloudModel
import EventLog

/// The notifications that changes call for, by the plain matcher.
struct ExpectedHits {
    /// A change on which at least one subscription fires.
    struct Fact {
        var sequence: CommitSequence
        var partition: TopicPartition
        var committed: Timestamp
        /// True if stage 1 is past it.
        var isMatched: Bool
        /// True if it is set aside where it is read for subscriptions that begin in the past.
        var isPastSetAside = false
    }

    /// A subscription that fires on a change.
    struct Hit {
        /// Places in `facts` and in the history's versions.
        var fact: Int
        var version: Int
    }

    private(set) var facts: [Fact] = []
    private(set) var hits: [UserRecordName: [Hit]] = [:]
    /// As `hits`, for subscriptions with a backfill, and changes in it; here the version is the index into the
    /// history's `pasts`.
    private(set) var pasts: [UserRecordName: [Hit]] = [:]
    private(set) var count = 0
    /// True if they are of several users.
    var isDivisible: Bool { hits.count > 1 || Set(hits.keys).union(pasts.keys).count > 1 }

    /// Takes a change with the versions that fire on it, and the subscriptions in whose past it lies.
    mutating func add(_ fact: Fact, _ versions: [Int], _ pasts: [Int], of history: SubscriptionHistory) {
        guard !versions.isEmpty || !pasts.isEmpty else { return }
        for version in versions {
            hits[history.versions[version].key.user, default: []].append(Hit(fact: facts.count, version: version))
        }
        for past in pasts {
            let user = history.versions[history.pasts[past].version].key.user
            self.pasts[user, default: []].append(Hit(fact: facts.count, version: past))
        }
        facts.append(fact)
        count += versions.count + pasts.count
    }
}
