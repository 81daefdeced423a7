import CloudModel

/// What the index makes of a subscription. It may find more than what fires, never less; `isDecidedByWalk` says where
/// `fires(on:)` has the last word.
extension Subscription {
    /// Whose, where and what it watches; nil is all.
    struct Scope {
        var owner: UserRecordName?
        var zone: ZoneName?
        var type: RecordType?
    }

    var watchedScope: Scope {
        Scope(
            owner: key.database == .public ? nil : key.user, zone: condition.zone, type: condition.query.recordType)
    }

    /// What the record that is matched satisfies; with `leave` the one before.
    var watchedPredicate: Predicate { condition.query.predicate }

    /// Whether kind of change, owner, zone, type and predicate are not all that it asks for.
    var isDecidedByWalk: Bool {
        key.database == .shared || condition.firesOn.rawValue & ~7 != 0
    }

    /// Whether the record before a change can make it fire.
    var watchesRecordBefore: Bool { false }
}
