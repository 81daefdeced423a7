package import CloudModel

extension Subscription {
    /// Returns true if this subscription tells of a change that was committed before its creation: in the past that it asked
    /// for, it would have fired on it, and its owner might still read what changed when the subscription was created.
    package func fires(onPast change: Change) -> Bool {
        guard let backfill, change.committed >= backfill.from else { return false }
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
