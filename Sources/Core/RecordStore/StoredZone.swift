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

    package init(id: ZoneID, created: CommitSequence, changed: CommitSequence, horizon: CommitSequence) {
        self.id = id
        self.created = created
        self.changed = changed
        self.horizon = horizon
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

/// Records of a zone that was dropped, which are removed now.
package struct DroppedRecords: Hashable, Sendable {
    /// Whose private database held the zone.
    package var owner: UserRecordName
    /// The records as they were published.
    package var bodies: [[UInt8]]

    package init(owner: UserRecordName, bodies: [[UInt8]]) {
        self.owner = owner
        self.bodies = bodies
    }
}

/// An entry of a zone's change feed: the last change of one record.
package struct FeedRecord: Hashable, Sendable {
    /// The record's name.
    package var name: RecordName
    /// Its type, which a deleted one had.
    package var type: RecordType
    /// Its last change.
    package var sequence: CommitSequence
    /// The record; nil when it was deleted.
    package var body: [UInt8]?
    /// Of a deleted record: the shared records that it was below, or itself.
    package var roots: [RecordName]

    package init(name: RecordName, type: RecordType, sequence: CommitSequence, body: [UInt8]?, roots: [RecordName] = [])
    {
        self.name = name
        self.type = type
        self.sequence = sequence
        self.body = body
        self.roots = roots
    }
}

/// Which changes of a zone are asked for.
package struct FeedRange: Hashable, Sendable {
    /// Changes after this one,
    package var after: CommitSequence
    /// and before this one; nil means up to the last.
    package var before: CommitSequence?
    /// Deletions up to this one are left out.
    package var deletionsAfter: CommitSequence
    /// The types of the records; nil is all.
    package var types: [RecordType]?
    /// Whether the newest comes first.
    package var isReverse: Bool
    /// Bytes of records; the one that goes beyond them is the last.
    package var bytesMax: Int

    package init(
        after: CommitSequence, before: CommitSequence? = nil, deletionsAfter: CommitSequence,
        types: [RecordType]? = nil,
        isReverse: Bool = false, bytesMax: Int = .max
    ) {
        self.after = after
        self.before = before
        self.deletionsAfter = deletionsAfter
        self.types = types
        self.isReverse = isReverse
        self.bytesMax = bytesMax
    }
}
