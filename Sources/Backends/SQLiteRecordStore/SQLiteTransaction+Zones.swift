import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction: ZoneTransaction {
    func customZone(_ id: ZoneID, in database: DatabaseScope) throws -> StoredZone? {
        try connection.first(
            "\(Self.zones) WHERE z.database = ? AND z.owner = ? AND z.name = ? AND z.created > 0",
            .integer(Int64(database.rawValue)),
            .text(id.owner.rawValue), .text(id.name.rawValue), read: Self.zone)
    }

    func customZones(of owner: UserRecordName, in database: DatabaseScope) throws -> [StoredZone] {
        try connection.query(
            "\(Self.zones) WHERE z.database = ? AND z.owner = ? AND z.created > 0 ORDER BY z.name",
            .integer(Int64(database.rawValue)), .text(owner.rawValue), read: Self.zone)
    }

    func zoneTombstones(
        of user: UserRecordName, in database: DatabaseScope, after sequence: Sequence
    ) throws -> [ZoneTombstone] {
        try connection.query(
            """
            SELECT owner, name, sequence FROM zone_tombstones WHERE database = ? AND user = ? AND sequence > ?
            ORDER BY sequence
            """, .integer(Int64(database.rawValue)), .text(user.rawValue), .integer(sequence.rawValue)
        ) {
            ZoneTombstone(
                id: ZoneID(name: ZoneName(trusted: $0.text(1)), owner: UserRecordName(trusted: $0.text(0))),
                sequence: Sequence($0.integer(2)))
        }
    }

    func zoneHorizon(of user: UserRecordName, in database: DatabaseScope) throws -> Sequence {
        try connection.first(
            "SELECT sequence FROM zone_horizons WHERE database = ? AND user = ?", .integer(Int64(database.rawValue)),
            .text(user.rawValue)
        ) { Sequence($0.integer(0)) } ?? .zero
    }

    func addZone(_ id: ZoneID, in database: DatabaseScope, at sequence: Sequence) throws {
        try connection.run(
            "INSERT INTO zones (database, owner, name, created) VALUES (?, ?, ?, ?)",
            .integer(Int64(database.rawValue)), .text(id.owner.rawValue), .text(id.name.rawValue),
            .integer(sequence.rawValue))
    }

    func deleteZone(_ id: ZoneID, in database: DatabaseScope) throws {
        guard let row = try zoneRow(id, in: database) else { return }
        try deleteRecords(ofZone: row)
        try connection.run("DELETE FROM zones WHERE id = ?", .integer(row))
        numbers.forget(id, in: database)
    }

    func addZoneTombstone(
        _ tombstone: ZoneTombstone, of user: UserRecordName, in database: DatabaseScope, _ time: Timestamp
    ) throws {
        try connection.run(
            """
            INSERT INTO zone_tombstones (database, user, owner, name, sequence, time) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET sequence = excluded.sequence, time = excluded.time
            """, .integer(Int64(database.rawValue)), .text(user.rawValue), .text(tombstone.id.owner.rawValue),
            .text(tombstone.id.name.rawValue), .integer(tombstone.sequence.rawValue), .integer(time.milliseconds))
    }

    func removeZoneTombstone(_ id: ZoneID, of user: UserRecordName, in database: DatabaseScope) throws {
        try connection.run(
            "DELETE FROM zone_tombstones WHERE database = ? AND user = ? AND owner = ? AND name = ?",
            .integer(Int64(database.rawValue)), .text(user.rawValue), .text(id.owner.rawValue), .text(id.name.rawValue))
    }

    /// The row of a zone; nil when there is none.
    func zoneRow(_ id: ZoneID, in database: DatabaseScope) throws -> Int64? { try numbers.zone(id, in: database) }

    private static let zones = """
        SELECT z.owner, z.name, z.created, z.horizon, max(
            z.created, z.horizon, coalesce((SELECT max(sequence) FROM records WHERE zone = z.id AND has_feed), 0),
            coalesce((SELECT max(sequence) FROM tombstones WHERE zone = z.id), 0))
        FROM zones z
        """

    private static func zone(_ row: SQLiteStatement) -> StoredZone {
        StoredZone(
            id: ZoneID(name: ZoneName(trusted: row.text(1)), owner: UserRecordName(trusted: row.text(0))),
            created: Sequence(row.integer(2)), changed: Sequence(row.integer(4)), horizon: Sequence(row.integer(3)))
    }
}
