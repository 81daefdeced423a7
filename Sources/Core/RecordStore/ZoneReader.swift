package import CloudModel

/// Reads of custom zones and their change feeds.
package protocol ZoneReader {
    /// A custom zone; nil when there is none.
    func customZone(_ id: ZoneID, in database: DatabaseScope) throws -> StoredZone?

    /// The custom zones of an owner, by name.
    func customZones(of owner: UserRecordName, in database: DatabaseScope) throws -> [StoredZone]

    /// The number of an owner's custom zones.
    func customZoneCount(of owner: UserRecordName, in database: DatabaseScope) throws -> Int

    /// The zones that a user lost in a database after a change, in the order of their loss.
    func zoneTombstones(
        of user: UserRecordName, in database: DatabaseScope, after sequence: CommitSequence
    ) throws -> [ZoneTombstone]

    /// The number of zone tombstones of a user.
    func zoneTombstoneCount(of user: UserRecordName, in database: DatabaseScope) throws -> Int

    /// The change up to which zone tombstones of a user were removed.
    func zoneHorizon(of user: UserRecordName, in database: DatabaseScope) throws -> CommitSequence

    /// Changes of a custom zone, each record once, by sequence.
    func feed(
        of zone: ZoneID, in database: DatabaseScope, _ range: FeedRange, limit: Int
    ) throws -> [FeedRecord]
}

/// Writes of custom zones.
package protocol ZoneTransaction: ZoneReader {
    /// Adds a custom zone; its creation is a change.
    func addZone(_ id: ZoneID, in database: DatabaseScope, at sequence: CommitSequence) throws

    /// Drops a custom zone with its shares: neither it nor its records are found from then on. `removeDroppedRecords`
    /// removes the records.
    func dropZone(_ id: ZoneID, in database: DatabaseScope) throws

    /// Drops the content of a default zone, which is empty from then on; each record is to be published as deleted by
    /// the origin. No default zone has shares.
    func emptyZone(_ id: ZoneID, in database: DatabaseScope, by origin: Origin) throws

    /// Removes some records of dropped and emptied zones.
    /// - Returns: the removed records; nil if nothing is left to remove.
    func removeDroppedRecords(limit: Int, bytesMax: Int) throws -> DroppedRecords?

    /// Adds the tombstone of a zone that a user lost in a database.
    func addZoneTombstone(
        _ tombstone: ZoneTombstone, of user: UserRecordName, in database: DatabaseScope, _ time: Timestamp
    ) throws

    /// Removes the tombstones of a user's own zones from the user's feeds, when the user is removed.
    func forgetZones(of user: UserRecordName) throws

    /// Removes a zone's tombstone, as the zone is there again.
    func removeZoneTombstone(_ id: ZoneID, of user: UserRecordName, in database: DatabaseScope) throws

    /// Removes tombstones of records and zones that are older than a time, and remembers up to where.
    /// - Returns: how many were removed; fewer than `limit` mean that there are no more.
    func removeTombstones(before time: Timestamp, limit: Int) throws -> Int
}
