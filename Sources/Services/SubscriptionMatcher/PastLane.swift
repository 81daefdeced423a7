import CloudModel

/// The open backfills of one user in one partition of changes: they are matched together, in passes. A pass has those
/// that were created up to its end; later ones wait for the next pass.
struct PastLane: Hashable {
    /// The user and the store, as a number. Users with the same number share a lane.
    let id: UInt64
    /// The store; nil where it is not looked up yet.
    var store: UInt64?
    /// Backfills of subscriptions that were created up to it are delivered.
    var done: CommitSequence
    /// The pass under way.
    var pass: Pass?

    /// A pass: the creation of its last subscription, and the offset in the partition to go on from.
    struct Pass: Hashable {
        var end: CommitSequence
        var next: Int64
    }

    /// The lane of a user: the same number in every process and version, as positions have it.
    static func id(of user: UserRecordName, store: UInt64) -> UInt64 {
        let hash = user.rawValue.utf8.stableHash(salt: store)
        return (hash ^ hash >> 32) &* 0x9e37_79b9_7f4a_7c15
    }
}
