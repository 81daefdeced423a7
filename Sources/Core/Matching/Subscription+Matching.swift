package import CloudModel

extension Subscription {
    /// Whether this subscription fires on a change, leaving aside when it was saved: the right database, a kind of
    /// change it asked for, a record that its owner may read, in its zone, of its type, that satisfies its predicate.
    package func fires(on change: Change) -> Bool {
        guard let record = change.matched else { return false }
        return key.database == change.database
            && condition.firesOn.contains(change.kind.firingEvent)
            && mayRead(record, change.reader)
            && (condition.zone == nil || condition.zone == record.zone.name)
            && condition.query.recordType == record.type
            && condition.query.predicate.holds(for: record)
    }

    /// Who may read in the public database is its types' affair; only its owner reads a private one.
    private func mayRead(_ record: Record, _ reader: TypePermissions.Role?) -> Bool {
        switch key.database {
        case .public:
            switch reader {
            case .world, .icloud: true
            case .creator: record.created.user == key.user
            case nil: false
            }
        case .private: record.zone.owner == key.user
        case .shared: false
        }
    }
}
