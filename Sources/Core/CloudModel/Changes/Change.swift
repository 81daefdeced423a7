/// One committed change of one record, as matching sees it.
package struct Change: Hashable, Sendable {
    /// What happened to the record.
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

    /// Where the change stands among all changes of the store.
    package var sequence: Sequence
    /// The last subscription save or deletion before this change: the matcher's table must have reached it.
    package var lastSubscription: Sequence
    /// The database of the record.
    package var database: DatabaseScope
    /// What happened to the record.
    package var kind: Kind
    /// The record before; nil when it was created.
    package var before: Record?
    /// The record after; nil when it was deleted.
    package var after: Record?
    /// When the store committed it.
    package var committed: Timestamp
    /// Who made the change, and from which device.
    package var origin: Origin

    package init(
        sequence: Sequence, lastSubscription: Sequence, database: DatabaseScope, kind: Kind, before: Record?,
        after: Record?, committed: Timestamp, origin: Origin
    ) {
        self.sequence = sequence
        self.lastSubscription = lastSubscription
        self.database = database
        self.kind = kind
        self.before = before
        self.after = after
        self.committed = committed
        self.origin = origin
    }

    /// The version that a subscription is matched against: the new one, or the last one of what was deleted
    /// (design section 12, choice 2). Nil only in a malformed change.
    package var matched: Record? { after ?? before }
}
