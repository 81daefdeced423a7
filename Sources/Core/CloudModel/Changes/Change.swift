/// One committed change of one record, or of a zone, as matching sees it.
package struct Change: Hashable, Sendable {
    /// The kinds of changes, of a record or of a zone.
    package enum Kind: Int32, Sendable {
        case created = 1
        case updated = 2
        case deleted = 3

        /// The event of a subscription that this kind can fire.
        package var firingEvent: FiringEvents {
            switch self {
            case .created: .create
            case .updated: .update
            case .deleted: .delete
            }
        }
    }

    /// The position among all changes of the store.
    package var sequence: CommitSequence
    /// The last subscription save or deletion before this change: the matcher's table must have reached it.
    package var lastSubscription: CommitSequence
    /// The database of the record.
    package var database: DatabaseScope
    /// The kind of the change.
    package var kind: Kind
    /// The record before; nil when it was created, and in changes of zones.
    package var before: Record?
    /// The record after; nil when it was deleted, and in changes of zones.
    package var after: Record?
    /// The time at which the store committed it.
    package var committed: Timestamp
    /// The user and the device that made the change.
    package var origin: Origin
    /// The zone that was created or deleted; nil in changes of records.
    package var zone: ZoneID?
    /// The names of a share's participants; in changes of the shared database only.
    package var participants: [UserRecordName]
    /// The least role that may read the record in the public database; nil when nobody may.
    package var reader: TypePermissions.Role?

    package init(
        sequence: CommitSequence, lastSubscription: CommitSequence, database: DatabaseScope, kind: Kind,
        before: Record?,
        after: Record?, committed: Timestamp, origin: Origin, zone: ZoneID? = nil, participants: [UserRecordName] = [],
        reader: TypePermissions.Role? = .world
    ) {
        self.sequence = sequence
        self.lastSubscription = lastSubscription
        self.database = database
        self.kind = kind
        self.before = before
        self.after = after
        self.committed = committed
        self.origin = origin
        self.zone = zone
        self.participants = participants
        self.reader = reader
    }

    /// The version that a subscription is matched against: the new one, or the last one of a deleted record
    /// (docs/choices.md, 2). Nil in changes of zones.
    package var matched: Record? { after ?? before }

    /// The zone that the change is in, or that it made or deleted. Nil only in a malformed change.
    package var affectedZone: ZoneID? { zone ?? matched?.zone }
}
