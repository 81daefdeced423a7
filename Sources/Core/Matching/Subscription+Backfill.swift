package import CloudModel

extension Subscription {
    /// Returns true if this subscription's backfill includes a change that was committed before its creation: it would
    /// have fired, and its owner could still read the record when the subscription was created.
    package func fires(onPast change: Change) -> Bool {
        guard let backfill, change.committed >= backfill.from, change.sequence > backfill.after else { return false }
        var change = change
        switch change.database {
        case .private: break
        case .public:
            guard let then = change.reader, let since = backfill.reader else { return false }
            change.reader = TypePermissions.Role(rawValue: max(then.rawValue, since.rawValue))
        case .shared: guard let zone = change.affectedZone, backfill.zones.contains(zone) else { return false }
        }
        return fires(on: change)
    }
}
