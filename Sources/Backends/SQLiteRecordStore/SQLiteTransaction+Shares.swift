import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction: ShareTransaction {
    func share(shortGUID: String) throws -> StoredShare? {
        let found = try connection.query(
            "\(Self.shares) WHERE s.guid = ?", .text(shortGUID), read: Self.share)
        return try found.first.map(complete)
    }

    func share(_ name: RecordName, in zone: ZoneID) throws -> StoredShare? {
        guard let row = try zoneRow(zone, in: .private) else { return nil }
        return try connection.query(
            "\(Self.shares) WHERE s.zone = ? AND s.name = ?", .integer(row), .text(name.rawValue), read: Self.share
        ).first.map(complete)
    }

    func hasShares(in zone: ZoneID) throws -> Bool {
        guard let row = try zoneRow(zone, in: .private) else { return false }
        return try connection.first("SELECT 1 FROM shares WHERE zone = ? LIMIT 1", .integer(row)) { _ in true } ?? false
    }

    func shares(in zone: ZoneID, of root: RecordName?) throws -> [StoredShare] {
        guard let row = try zoneRow(zone, in: .private) else { return [] }
        return try connection.query(
            "\(Self.shares) WHERE s.zone = ? AND s.root IS ? ORDER BY s.name", .integer(row),
            .optional(root?.rawValue), read: Self.share
        ).map(complete)
    }

    func shareCounts(in zone: ZoneID) throws -> (shares: Int, participants: Int) {
        guard let row = try zoneRow(zone, in: .private) else { return (0, 0) }
        return try connection.first(
            """
            SELECT count(*), coalesce(sum((SELECT count(*) FROM participants p WHERE p.share = s.id)), 0)
            FROM shares s WHERE s.zone = ?
            """, .integer(row)
        ) { (Int($0.integer(0)), Int($0.integer(1))) } ?? (0, 0)
    }

    func acceptedParticipants(in zone: ZoneID) throws -> [UserRecordName] {
        guard let row = try zoneRow(zone, in: .private) else { return [] }
        return try connection.query(
            """
            SELECT DISTINCT p.user FROM shares s CROSS JOIN participants p ON p.share = s.id
            WHERE s.zone = ? AND p.accepted > 0 AND p.permission <> \(Share.Permission.none.rawValue) ORDER BY p.user
            """, .integer(row)
        ) { UserRecordName(trusted: $0.text(0)) }
    }

    func acceptedShares(of user: UserRecordName, in zone: ZoneID?) throws -> [AcceptedShare] {
        let row = try zone.map { try zoneRow($0, in: .private) ?? 0 }
        return try connection.query(
            """
            SELECT z.owner, z.name, s.name, s.root, p.permission, p.accepted, s.epoch, s.root IS NOT NULL
            FROM participants p CROSS JOIN shares s ON s.id = p.share CROSS JOIN zones z ON z.id = s.zone
            WHERE p.user = ?1 AND p.accepted > 0 AND p.permission <> \(Share.Permission.none.rawValue)
                AND (?2 IS NULL OR s.zone = ?2) ORDER BY z.owner, z.name, s.name
            """, .text(user.rawValue), .optional(row)
        ) {
            AcceptedShare(
                zone: ZoneID(name: ZoneName(trusted: $0.text(1)), owner: UserRecordName(trusted: $0.text(0))),
                name: RecordName(trusted: $0.text(2)),
                root: $0.integer(7) == 0 ? nil : RecordName(trusted: $0.text(3)),
                permission: Share.Permission(rawValue: Int32($0.integer(4))) ?? .none,
                accepted: CommitSequence($0.integer(5)), epoch: CommitSequence($0.integer(6)))
        }
    }

    func acceptedShareCount(of user: UserRecordName) throws -> Int {
        try connection.first("SELECT count(*) FROM participants WHERE user = ? AND accepted > 0", .text(user.rawValue))
        {
            Int($0.integer(0))
        } ?? 0
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
        try connection.run("DELETE FROM share_administrators WHERE share = ?", .integer(row))
        for (place, participant) in share.details.participants.enumerated() {
            try connection.run(
                """
                INSERT INTO participants (share, place, user, permission, is_public, accepted) VALUES (?, ?, ?, ?, ?, ?)
                """, .integer(row), .integer(Int64(place)), .text(participant.user.rawValue),
                .integer(Int64(participant.permission.rawValue)), .integer(participant.role == .publicUser ? 1 : 0),
                .integer(participant.accepted?.rawValue ?? 0))
            guard participant.role == .administrator else { continue }
            try connection.run(
                "INSERT INTO share_administrators (share, user) VALUES (?, ?)", .integer(row),
                .text(participant.user.rawValue))
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
                zone: zone, name: RecordName(trusted: row.text(3)), details: details,
                epoch: CommitSequence(row.integer(7)))
        )
    }

    private func complete(_ found: (row: Int64, share: StoredShare)) throws -> StoredShare {
        var share = found.share
        share.details.participants = try connection.query(
            """
            SELECT p.user, p.permission, p.is_public, p.accepted, a.user IS NOT NULL FROM participants p
            LEFT JOIN share_administrators a ON a.share = p.share AND a.user = p.user
            WHERE p.share = ? ORDER BY p.place
            """, .integer(found.row)
        ) {
            Share.Participant(
                user: UserRecordName(trusted: $0.text(0)),
                permission: Share.Permission(rawValue: Int32($0.integer(1))) ?? .none,
                role: $0.integer(4) != 0 ? .administrator : $0.integer(2) != 0 ? .publicUser : .user,
                accepted: $0.integer(3) > 0 ? CommitSequence($0.integer(3)) : nil)
        }
        return share
    }
}
