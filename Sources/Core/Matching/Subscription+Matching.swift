package import CloudModel

extension Subscription {
    /// Returns true if this subscription fires on a change, at whatever time it was saved: it is of the database, its
    /// owner may read the record or the zone, and its kind watches it. `docs/http-api.md` describes the rules for
    /// users.
    package func fires(on change: Change) -> Bool {
        let predicate = condition.query.predicate
        return fires(
            on: change, heldBefore: change.before.map { predicate.holds(for: $0) } ?? false,
            holdsAfter: change.after.map { predicate.holds(for: $0) } ?? false,
            isChanged: { FieldValue.differ(change.before?.fields[$0], change.after?.fields[$0]) })
    }

    /// As `fires(on:)`, for callers that know on which of a change's records a query's predicate holds (never on a
    /// missing one), and which fields an update changed.
    func fires(
        on change: Change, heldBefore: @autoclosure () -> Bool, holdsAfter: @autoclosure () -> Bool,
        isChanged: (FieldName) -> Bool
    ) -> Bool {
        guard key.database == change.database else { return false }
        switch condition.kind {
        case .query: return firesAsQuery(on: change, heldBefore: heldBefore, holdsAfter: holdsAfter, isChanged)
        case .zone: return firesAsZone(on: change)
        case .database: return firesAsDatabase(on: change)
        }
    }

    /// A record of the type, in the zone, whose change is of a kind that was asked for.
    private func firesAsQuery(
        on change: Change, heldBefore: () -> Bool, holdsAfter: () -> Bool, _ isChanged: (FieldName) -> Bool
    ) -> Bool {
        guard let record = change.matched, mayRead(record, change),
            condition.zone == nil || condition.zone == record.zone.name, condition.query.recordType == record.type
        else { return false }
        if condition.firesOn.contains(change.kind.firingEvent), isInChangedKeys(change, isChanged),
            change.after == nil ? heldBefore() : holdsAfter()
        {
            return true
        }
        guard !condition.firesOn.isDisjoint(with: [.enter, .leave]) else { return false }
        let (held, holds) = (heldBefore(), holdsAfter())
        return condition.firesOn.contains(.enter) && holds && !held
            || condition.firesOn.contains(.leave) && held && !holds
    }

    /// Any change of a record in the zone. Making and deleting the zone is no such change.
    private func firesAsZone(on change: Change) -> Bool {
        guard let record = change.matched else { return false }
        return sees(record.zone, change) && condition.zone == record.zone.name
            && (condition.recordType == nil || condition.recordType == record.type)
    }

    /// Any change of a record in a custom zone, and the zone's creation and deletion, which are of no record type.
    private func firesAsDatabase(on change: Change) -> Bool {
        guard let zone = change.affectedZone, zone.name != .defaultZone, sees(zone, change) else { return false }
        return condition.recordType == nil || condition.recordType == change.matched?.type
    }

    /// Returns true if the owner may read a record: in the public database, the grants on its type decide.
    private func mayRead(_ record: Record, _ change: Change) -> Bool {
        guard change.database == .public else { return sees(record.zone, change) }
        switch change.reader {
        case .world, .icloud: return true
        case .creator: return record.created.user == key.user
        case nil: return false
        }
    }

    /// Returns true if the owner may see a zone: only its owner reads a private database; a change of the shared one
    /// names its readers.
    private func sees(_ zone: ZoneID, _ change: Change) -> Bool {
        switch change.database {
        case .public: true
        case .private: zone.owner == key.user
        case .shared: change.participants.contains(key.user)
        }
    }

    /// Returns true if an update changed one of the fields asked for; other changes are not restricted by them.
    private func isInChangedKeys(_ change: Change, _ isChanged: (FieldName) -> Bool) -> Bool {
        guard change.kind == .updated, !condition.changedKeys.isEmpty else { return true }
        return condition.changedKeys.contains(where: isChanged)
    }
}
