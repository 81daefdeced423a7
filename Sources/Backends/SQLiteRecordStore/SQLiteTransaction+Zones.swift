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

    func customZoneCount(of owner: UserRecordName, in database: DatabaseScope) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM zones WHERE database = ? AND owner = ? AND created > 0",
            .integer(Int64(database.rawValue)), .text(owner.rawValue)
        ) { Int($0.integer(0)) } ?? 0
    }

    func zoneTombstones(
        of user: UserRecordName, in database: DatabaseScope, after sequence: CommitSequence
    ) throws -> [ZoneTombstone] {
        try connection.query(
            """
            SELECT owner, name, sequence FROM zone_tombstones WHERE database = ? AND user = ? AND sequence > ?
            ORDER BY sequence
            """, .integer(Int64(database.rawValue)), .text(user.rawValue), .integer(sequence.rawValue)
        ) {
            ZoneTombstone(
                id: ZoneID(name: ZoneName(trusted: $0.text(1)), owner: UserRecordName(trusted: $0.text(0))),
                sequence: CommitSequence($0.integer(2)))
        }
    }

    func zoneTombstoneCount(of user: UserRecordName, in database: DatabaseScope) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM zone_tombstones WHERE database = ? AND user = ?",
            .integer(Int64(database.rawValue)), .text(user.rawValue)
        ) { Int($0.integer(0)) } ?? 0
    }

    func zoneHorizon(of user: UserRecordName, in database: DatabaseScope) throws -> CommitSequence {
        try connection.first(
            "SELECT sequence FROM zone_horizons WHERE database = ? AND user = ?", .integer(Int64(database.rawValue)),
            .text(user.rawValue)
        ) { CommitSequence($0.integer(0)) } ?? .zero
    }

    func addZone(_ id: ZoneID, in database: DatabaseScope, at sequence: CommitSequence) throws {
        try connection.run(
            "INSERT INTO zones (database, owner, name, created) VALUES (?, ?, ?, ?)",
            .integer(Int64(database.rawValue)), .text(id.owner.rawValue), .text(id.name.rawValue),
            .integer(sequence.rawValue))
    }

    /// The row gets a database that no request can name; its records, which name the row, are out of sight with it.
    func dropZone(_ id: ZoneID, in database: DatabaseScope) throws {
        guard let row = try zoneRow(id, in: database) else { return }
        try connection.run("DELETE FROM shares WHERE zone = ?", .integer(row))
        try connection.run("UPDATE zones SET database = -id WHERE id = ?", .integer(row))
        numbers.forget(id, in: database)
    }

    func emptyZone(_ id: ZoneID, in database: DatabaseScope, by origin: Origin) throws {
        guard let row = try zoneRow(id, in: database) else { return }
        try connection.run(
            "INSERT INTO emptied_zones (zone, user, device, epoch) VALUES (?, ?, ?, ?)", .integer(row),
            .text(origin.user.rawValue), .optional(origin.device?.rawValue), .integer(origin.epoch?.rawValue ?? 0))
        try dropZone(id, in: database)
    }

    func removeDroppedRecords(limit: Int, bytesMax: Int) throws -> DroppedRecords? {
        let dropped = try connection.first("SELECT id, owner FROM zones WHERE database < 0 LIMIT 1") {
            (row: $0.integer(0), owner: UserRecordName(trusted: $0.text(1)))
        }
        guard let (row, owner) = dropped else { return nil }
        let bodies = try removeRecords(ofZone: row, limit: limit, bytesMax: bytesMax)
        guard bodies.isEmpty else {
            return DroppedRecords(owner: owner, bodies: bodies, origin: try emptyingOrigin(of: row))
        }
        try connection.run(
            """
            DELETE FROM tombstones WHERE zone = ?1 AND sequence IN (
                SELECT sequence FROM tombstones WHERE zone = ?1 ORDER BY sequence LIMIT ?2)
            """, .integer(row), .integer(Int64(limit)))
        if connection.changes == 0 { try connection.run("DELETE FROM zones WHERE id = ?", .integer(row)) }
        return DroppedRecords(owner: owner, bodies: [])
    }

    private func emptyingOrigin(of row: Int64) throws -> Origin? {
        try connection.first("SELECT user, device, epoch FROM emptied_zones WHERE zone = ?", .integer(row)) { row in
            let epoch = row.integer(2)
            return Origin(
                user: UserRecordName(trusted: row.text(0)), device: row.optionalText(1).map { DeviceID(trusted: $0) },
                epoch: epoch == 0 ? nil : DeviceEpoch(epoch))
        }
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

    func forgetZones(of user: UserRecordName) throws {
        try connection.run("DELETE FROM zone_tombstones WHERE user = ?", .text(user.rawValue))
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
            coalesce((SELECT max(sequence) FROM tombstones WHERE zone = z.id), 0)),
            (SELECT name FROM shares WHERE zone = z.id AND root IS NULL LIMIT 1)
        FROM zones z
        """

    private static func zone(_ row: SQLiteStatement) -> StoredZone {
        StoredZone(
            id: ZoneID(name: ZoneName(trusted: row.text(1)), owner: UserRecordName(trusted: row.text(0))),
            created: CommitSequence(row.integer(2)), changed: CommitSequence(row.integer(4)),
            horizon: CommitSequence(row.integer(3)), share: row.optionalText(5).map { RecordName(trusted: $0) })
    }
}
