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
        Scope(owner: key.database == .public ? nil : key.user, zone: condition.zone, type: condition.recordType)
    }

    /// What the record that is matched satisfies; with `leave` the one before.
    var watchedPredicate: Predicate { condition.kind == .query ? condition.query.predicate : .always }

    /// Whether kind of change, owner, zone, type and predicate are not all that it asks for.
    var isDecidedByWalk: Bool {
        condition.kind != .query || key.database == .shared || condition.firesOn.rawValue & ~7 != 0
            || !condition.changedKeys.isEmpty
    }

    /// Whether it fires by what both records of a change satisfy.
    var comparesRecords: Bool { condition.kind == .query && !condition.firesOn.isDisjoint(with: [.enter, .leave]) }

    /// Whether the record before a change can make it fire.
    var watchesRecordBefore: Bool { condition.firesOn.contains(.leave) }
}
