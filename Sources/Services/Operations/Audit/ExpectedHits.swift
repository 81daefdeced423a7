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
    }

    /// A subscription that fires on a change.
    struct Hit {
        /// Places in `facts` and in the history's versions.
        var fact: Int
        var version: Int
    }

    private(set) var facts: [Fact] = []
    private(set) var hits: [UserRecordName: [Hit]] = [:]
    private(set) var count = 0

    /// Takes a change with the versions that fire on it.
    mutating func add(_ fact: Fact, _ versions: [Int], of history: SubscriptionHistory) {
        guard !versions.isEmpty else { return }
        for version in versions {
            hits[history.versions[version].key.user, default: []].append(Hit(fact: facts.count, version: version))
        }
        facts.append(fact)
        count += versions.count
    }
}
