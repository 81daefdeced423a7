import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction: ShareTransaction {
    func share(shortGUID: String) throws -> StoredShare? {
        let found = try connection.query(
            "\(Self.shares) WHERE s.guid = ?", .text(shortGUID), read: Self.share)
        return try found.first.map(complete)
    }

    func shares(in zone: ZoneID) throws -> [StoredShare] {
        guard let row = try zoneRow(zone, in: .private) else { return [] }
        return try connection.query("\(Self.shares) WHERE s.zone = ? ORDER BY s.name", .integer(row), read: Self.share)
            .map(complete)
    }

    func hasChildren(_ id: RecordID) throws -> Bool {
        guard let row = try zoneRow(id.zone, in: id.database) else { return false }
        return try connection.first(
            "SELECT 1 FROM records WHERE zone = ? AND parent = ? LIMIT 1", .integer(row), .text(id.name.rawValue)
        ) { _ in true } ?? false
    }

    func zonesShared(with user: UserRecordName) throws -> [ZoneID] {
        try connection.query(
            """
            SELECT DISTINCT z.owner, z.name FROM participants p JOIN shares s ON s.id = p.share
            JOIN zones z ON z.id = s.zone WHERE p.user = ? AND p.accepted > 0 ORDER BY z.owner, z.name
            """, .text(user.rawValue)
        ) { ZoneID(name: ZoneName(trusted: $0.text(1)), owner: UserRecordName(trusted: $0.text(0))) }
    }

    func save(_ share: StoredShare) throws {
        guard let zone = try zoneRow(share.zone, in: .private) else { return }
        let row =
            try connection.first(
                """
                INSERT INTO shares (zone, name, root, guid, public_permission, epoch) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (zone, name) DO UPDATE SET root = excluded.root, public_permission = excluded.public_permission,
                    epoch = excluded.epoch RETURNING id
                """, .integer(zone), .text(share.name.rawValue),
                share.details.root.map { .text($0.rawValue) } ?? .null, .text(share.details.shortGUID),
                .integer(Int64(share.details.publicPermission.rawValue)), .integer(share.epoch.rawValue)
            ) { $0.integer(0) } ?? 0
        try connection.run("DELETE FROM participants WHERE share = ?", .integer(row))
        for (place, participant) in share.details.participants.enumerated() {
            try connection.run(
                """
                INSERT INTO participants (share, place, user, permission, is_public, accepted) VALUES (?, ?, ?, ?, ?, ?)
                """, .integer(row), .integer(Int64(place)), .text(participant.user.rawValue),
                .integer(Int64(participant.permission.rawValue)), .integer(participant.isPublic ? 1 : 0),
                .integer(participant.accepted?.rawValue ?? 0))
        }
    }

    func deleteShare(_ name: RecordName, in zone: ZoneID) throws {
        guard let row = try zoneRow(zone, in: .private) else { return }
        try connection.run("DELETE FROM shares WHERE zone = ? AND name = ?", .integer(row), .text(name.rawValue))
    }

    private static let shares = """
        SELECT s.id, z.owner, z.name, s.name, s.root, s.guid, s.public_permission, s.epoch, s.root IS NOT NULL
        FROM shares s JOIN zones z ON z.id = s.zone
        """

    private static func share(_ row: SQLiteStatement) -> (row: Int64, share: StoredShare) {
        let details = Share(
            root: row.integer(8) == 0 ? nil : RecordName(trusted: row.text(4)),
            publicPermission: Share.Permission(rawValue: Int32(row.integer(6))) ?? .none, participants: [],
            shortGUID: row.text(5))
        let zone = ZoneID(name: ZoneName(trusted: row.text(2)), owner: UserRecordName(trusted: row.text(1)))
        return (
            row.integer(0),
            StoredShare(
                zone: zone, name: RecordName(trusted: row.text(3)), details: details, epoch: Sequence(row.integer(7)))
        )
    }

    private func complete(_ found: (row: Int64, share: StoredShare)) throws -> StoredShare {
        var share = found.share
        share.details.participants = try connection.query(
            "SELECT user, permission, is_public, accepted FROM participants WHERE share = ? ORDER BY place",
            .integer(found.row)
        ) {
            Share.Participant(
                user: UserRecordName(trusted: $0.text(0)),
                permission: Share.Permission(rawValue: Int32($0.integer(1))) ?? .none, isPublic: $0.integer(2) != 0,
                accepted: $0.integer(3) > 0 ? Sequence($0.integer(3)) : nil)
        }
        return share
    }
}
