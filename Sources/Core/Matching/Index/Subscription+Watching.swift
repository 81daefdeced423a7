import CloudModel

/// Properties by which the index files a subscription. It may find more than fires, never less; if `isDecidedByWalk`,
/// `fires(on:)` decides.
extension Subscription {
    /// The owner, zone and type of the records that it watches; nil is all.
    struct Scope {
        var owner: UserRecordName?
        var zone: ZoneName?
        var type: RecordType?
    }

    var watchedScope: Scope {
        Scope(owner: key.database == .public ? nil : key.user, zone: condition.zone, type: condition.recordType)
    }

    /// The predicate of the record that is matched; with `leave` of the one before.
    var watchedPredicate: Predicate { condition.kind == .query ? condition.query.predicate : .always }

    /// Returns true if it asks for more than kind of change, owner, zone, type and predicate.
    var isDecidedByWalk: Bool {
        condition.kind != .query || key.database == .shared || condition.firesOn.rawValue & ~7 != 0
            || !condition.changedKeys.isEmpty
    }

    /// Returns true if it fires by what both records of a change satisfy.
    var comparesRecords: Bool { condition.kind == .query && !condition.firesOn.isDisjoint(with: [.enter, .leave]) }

    /// Returns true if the record before a change can make it fire.
    var watchesRecordBefore: Bool { condition.firesOn.contains(.leave) }
}
