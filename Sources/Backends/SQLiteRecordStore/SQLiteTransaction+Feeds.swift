import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    func feed(
        of zone: ZoneID, in database: DatabaseScope, _ range: FeedRange, limit: Int
    ) throws -> [FeedRecord] {
        guard let row = try zoneRow(zone, in: database) else { return [] }
        let types = try range.types.map { try $0.compactMap { try typeRow($0) } }
        let before = range.before?.rawValue ?? .max
        let given = types.map { SQLiteValue.text("[\($0.map(String.init).joined(separator: ","))]") } ?? .null
        let ofTypes = "AND (?6 IS NULL OR type IN (SELECT value FROM json_each(?6)))"
        let order = range.isReverse ? "DESC" : "ASC"
        // Bodies are read one by one: only those that the page has room for.
        let found = try connection.query(
            """
            SELECT c.sequence, c.name, t.name, c.id, c.roots FROM (
                SELECT sequence, name, type, id, '' AS roots FROM records
                WHERE zone = ?1 AND has_feed AND sequence > ?2 AND sequence < ?3 \(ofTypes)
                UNION ALL
                SELECT sequence, name, type, 0, roots FROM tombstones
                WHERE zone = ?1 AND sequence > max(?2, ?4) AND sequence < ?3 \(ofTypes)
                ORDER BY 1 \(order) LIMIT ?5
            ) c JOIN types t ON t.id = c.type ORDER BY 1 \(order)
            """, .integer(row), .integer(range.after.rawValue), .integer(before),
            .integer(range.deletionsAfter.rawValue), .integer(Int64(limit)), given
        ) {
            (
                row: $0.integer(3),
                entry: FeedRecord(
                    name: RecordName(trusted: $0.text(1)), type: RecordType(trusted: $0.text(2)),
                    sequence: CommitSequence($0.integer(0)), body: nil,
                    roots: $0.text(4).split(separator: "\n").map { RecordName(trusted: String($0)) })
            )
        }
        var entries: [FeedRecord] = []
        var bytes = 0
        for (row, entry) in found {
            var entry = entry
            if row != 0 {
                entry.body = try connection.first("SELECT body FROM records WHERE id = ?", .integer(row)) { $0.blob(0) }
                bytes += entry.body?.count ?? 0
            }
            entries.append(entry)
            if bytes > range.bytesMax { break }
        }
        return entries
    }

    func removeTombstones(before time: Timestamp, limit: Int) throws -> Int {
        let records = try connection.query(
            "SELECT zone, sequence FROM tombstones WHERE time < ? ORDER BY time LIMIT ?", .integer(time.milliseconds),
            .integer(Int64(limit))
        ) { (zone: $0.integer(0), sequence: $0.integer(1)) }
        for tombstone in records {
            try connection.run(
                "DELETE FROM tombstones WHERE zone = ? AND sequence = ?", .integer(tombstone.zone),
                .integer(tombstone.sequence))
            try connection.run(
                "UPDATE zones SET horizon = max(horizon, ?) WHERE id = ?", .integer(tombstone.sequence),
                .integer(tombstone.zone))
        }
        return records.count + (try removeZoneTombstones(before: time, limit: limit - records.count))
    }

    private func removeZoneTombstones(before time: Timestamp, limit: Int) throws -> Int {
        let zones = try connection.query(
            "SELECT database, user, owner, name, sequence FROM zone_tombstones WHERE time < ? ORDER BY time LIMIT ?",
            .integer(time.milliseconds), .integer(Int64(limit))
        ) { (database: $0.integer(0), user: $0.text(1), owner: $0.text(2), name: $0.text(3), sequence: $0.integer(4)) }
        for zone in zones {
            try connection.run(
                "DELETE FROM zone_tombstones WHERE database = ? AND user = ? AND owner = ? AND name = ?",
                .integer(zone.database), .text(zone.user), .text(zone.owner), .text(zone.name))
            try connection.run(
                """
                INSERT INTO zone_horizons (database, user, sequence) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET sequence = max(sequence, excluded.sequence)
                """, .integer(zone.database), .text(zone.user), .integer(zone.sequence))
        }
        return zones.count
    }

    private func typeRow(_ type: RecordType) throws -> Int64? {
        try connection.first("SELECT id FROM types WHERE name = ?", .text(type.rawValue)) { $0.integer(0) }
    }
}
