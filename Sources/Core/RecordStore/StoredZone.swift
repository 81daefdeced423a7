package import CloudModel

/// A custom zone as the store keeps it.
package struct StoredZone: Hashable, Sendable {
    /// Its name and owner.
    package var id: ZoneID
    /// The change that created it: a zone made again under the same name has another.
    package var created: CommitSequence
    /// The last change in it: of a record, or its creation.
    package var changed: CommitSequence
    /// Deletions of records up to this change are no longer known.
    package var horizon: CommitSequence
    /// The share of the whole zone; nil when there is none.
    package var share: RecordName?

    package init(
        id: ZoneID, created: CommitSequence, changed: CommitSequence, horizon: CommitSequence, share: RecordName? = nil
    ) {
        self.id = id
        self.created = created
        self.changed = changed
        self.horizon = horizon
        self.share = share
    }
}

/// A zone that a user no longer has.
package struct ZoneTombstone: Hashable, Sendable {
    /// Its name and owner.
    package var id: ZoneID
    /// The change that took it away.
    package var sequence: CommitSequence

    package init(id: ZoneID, sequence: CommitSequence) {
        self.id = id
        self.sequence = sequence
    }
}

/// Removed records of a dropped zone.
package struct DroppedRecords: Hashable, Sendable {
    /// The owner of the private database that held the zone.
    package var owner: UserRecordName
    /// The records as they were published.
    package var bodies: [[UInt8]]
    /// The user and device that emptied the zone; nil if it was dropped, whose own change covers the records.
    package var origin: Origin?

    package init(owner: UserRecordName, bodies: [[UInt8]], origin: Origin? = nil) {
        self.owner = owner
        self.bodies = bodies
        self.origin = origin
    }
}
