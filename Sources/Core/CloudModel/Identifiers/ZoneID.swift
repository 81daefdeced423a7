/// A zone of a database: its name and its owner.
package struct ZoneID: Hashable, Sendable {
    /// The zone's name, unique among its owner's zones.
    package var name: ZoneName
    /// The owner: `_defaultOwner` in the public database, else the user whose private database holds the zone.
    package var owner: UserRecordName

    package init(name: ZoneName, owner: UserRecordName) {
        self.name = name
        self.owner = owner
    }

    /// The public database's only zone.
    package static let publicDefault = ZoneID(name: .defaultZone, owner: .defaultOwner)
}
