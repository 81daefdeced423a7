import CloudModel
import RecordStore
import SQLite

/// Hierarchies of records, by the column `parent`: bodies, which may have a megabyte each, are not read.
extension SQLiteTransaction {
    func parentLink(of id: RecordID) throws -> ParentLink {
        guard let zone = try zone(id) else { return .missing }
        return try connection.first(
            "SELECT parent FROM records WHERE zone = ? AND name = ?", .integer(zone), .text(id.name.rawValue)
        ) { row in row.optionalText(0).map { .below(RecordName(trusted: $0)) } ?? .top } ?? .missing
    }

    func hasChildren(_ id: RecordID) throws -> Bool {
        guard let zone = try zone(id) else { return false }
        return try connection.first(
            "SELECT 1 FROM records WHERE zone = ? AND parent = ? LIMIT 1", .integer(zone), .text(id.name.rawValue)
        ) { _ in true } ?? false
    }

    func child(of id: RecordID, where isWanted: (RecordName) throws -> Bool) throws -> RecordName? {
        guard let zone = try zone(id) else { return nil }
        let statement = try connection.statement("SELECT name FROM records WHERE zone = ? AND parent = ?")
        try statement.bind([.integer(zone), .text(id.name.rawValue)])
        defer { statement.reset() }
        while try statement.step() {
            let name = RecordName(trusted: statement.text(0))
            if try isWanted(name) { return name }
        }
        return nil
    }

    /// Goes up from the roots of the zone's shares, which are fewer than the records below one may be.
    func share(below root: RecordName?, in zone: ZoneID) throws -> RecordName? {
        guard let row = try zoneRow(zone, in: .private) else { return nil }
        guard let root else {
            return try connection.first(
                "SELECT name FROM shares WHERE zone = ? AND root > '' LIMIT 1", .integer(row)
            ) { RecordName(trusted: $0.text(0)) }
        }
        guard try hasChildren(RecordID(database: .private, zone: zone, name: root)) else { return nil }
        let found = try connection.query(
            """
            WITH RECURSIVE above (share, name, level) AS (
                SELECT name, root, 0 FROM shares WHERE zone = ?1 AND root > ''
                UNION ALL
                SELECT a.share, r.parent, a.level + 1 FROM above a
                CROSS JOIN records r ON r.zone = ?1 AND r.name = a.name
                WHERE a.level < ?3 AND r.parent IS NOT NULL)
            SELECT min(share) FILTER (WHERE name = ?2 AND level > 0), count(*) FROM above
            """, .integer(row), .text(root.rawValue), .integer(Int64(Limits.parentDepthMax))
        ) { (share: $0.optionalText(0), rows: Int($0.integer(1))) }
        try connection.moved.add((found.first?.rows ?? 0) * MovedBytes.ofRow)
        return found.first?.share.map { RecordName(trusted: $0) }
    }

    func levels(below id: RecordID, levelsMax: Int, recordsMax: Int) throws -> (levels: Int, records: Int) {
        guard let zone = try zone(id) else { return (0, 0) }
        return try connection.first(
            """
            WITH RECURSIVE below (name, level) AS (
                SELECT name, 1 FROM records WHERE zone = ?1 AND parent = ?2
                UNION ALL
                SELECT r.name, b.level + 1 FROM below b CROSS JOIN records r ON r.zone = ?1 AND r.parent = b.name
                WHERE b.level < ?3
                LIMIT ?4)
            SELECT coalesce(max(level), 0), count(*) FROM below
            """, .integer(zone), .text(id.name.rawValue), .integer(Int64(levelsMax)), .integer(Int64(recordsMax))
        ) { (Int($0.integer(0)), Int($0.integer(1))) } ?? (0, 0)
    }
}
