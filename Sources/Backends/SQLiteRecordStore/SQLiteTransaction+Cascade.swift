import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction: CascadeTransaction {
    func cascadingReferrers(of target: RecordID) throws -> [RecordName] {
        guard let zone = try zone(target) else { return [] }
        return try connection.query(
            """
            SELECT r.name FROM cascades c JOIN records r ON r.id = c.record WHERE c.zone = ? AND c.target = ?
            ORDER BY r.name
            """, .integer(zone), .text(target.name.rawValue)
        ) { RecordName(trusted: $0.text(0)) }
    }

    func cascadingReferrerCount(of target: RecordID, except record: RecordName) throws -> Int {
        guard let zone = try zone(target) else { return 0 }
        return try connection.first(
            """
            SELECT count(*) FROM cascades c JOIN records r ON r.id = c.record
            WHERE c.zone = ? AND c.target = ? AND r.name <> ?
            """, .integer(zone), .text(target.name.rawValue), .text(record.rawValue)
        ) { Int($0.integer(0)) } ?? 0
    }

    func setCascadingReferences(of record: RecordID, to targets: Set<RecordName>) throws {
        guard let zone = try zone(record) else { return }
        let id = try connection.first(
            "SELECT id FROM records WHERE zone = ? AND name = ?", .integer(zone), .text(record.name.rawValue)
        ) { $0.integer(0) }
        guard let id else { return }
        try connection.run("DELETE FROM cascades WHERE record = ?", .integer(id))
        for target in targets {
            try connection.run(
                "INSERT INTO cascades (zone, target, record) VALUES (?, ?, ?)", .integer(zone), .text(target.rawValue),
                .integer(id))
        }
    }
}
