/// The backfill of a subscription: changes from before its creation, delivered before later ones, with the rights of
/// its owner at the creation. A right lost since then is not restored.
package struct Backfill: Hashable, Sendable {
    /// Changes that were committed before are left out.
    package var from: Timestamp
    /// Changes up to this one are left out, too: the query that the subscription continues has shown them.
    package var after: CommitSequence
    /// The least role that might read records of the subscription's type; nil when nobody might. Public database only.
    package var reader: TypePermissions.Role?
    /// The zones that were shared with the owner. Shared database only.
    package var zones: [ZoneID]

    package init(
        from: Timestamp, after: CommitSequence = .zero, reader: TypePermissions.Role? = .world, zones: [ZoneID] = []
    ) {
        self.from = from
        self.after = after
        self.reader = reader
        self.zones = zones
    }
}
