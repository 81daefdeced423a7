package import CloudModel

extension Subscription {
    /// Whether this subscription fires on a change, leaving aside when it was saved: the right database, a kind of
    /// change it asked for, a record that its owner may read, in its zone, of its type, that satisfies its predicate.
    package func fires(on change: Change) -> Bool {
        guard let record = change.matched else { return false }
        return key.database == change.database
            && condition.firesOn.contains(change.kind.firingEvent)
            && mayRead(record)
            && (condition.zone == nil || condition.zone == record.zone.name)
            && condition.query.recordType == record.type
            && condition.query.predicate.holds(for: record)
    }

    /// Everybody reads the public database, only its owner a private one.
    private func mayRead(_ record: Record) -> Bool {
        switch key.database {
        case .public: true
        case .private: record.zone.owner == key.user
        case .shared: false
        }
    }
}
