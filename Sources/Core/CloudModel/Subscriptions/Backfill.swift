/// The past that a subscription tells of before the changes after its creation, with what its owner might read when it was
/// created: what was taken away since a change is not told of it later.
package struct Backfill: Hashable, Sendable {
    /// Changes that were committed before are not told.
    package var from: Timestamp
    /// The least role that might read records of the subscription's type; nil when nobody might. Public database only.
    package var reader: TypePermissions.Role?
    /// The zones that were shared with the owner. Shared database only.
    package var zones: [ZoneID]

    package init(from: Timestamp, reader: TypePermissions.Role? = .world, zones: [ZoneID] = []) {
        self.from = from
        self.reader = reader
        self.zones = zones
    }
}
