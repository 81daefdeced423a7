import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    func record(_ id: RecordID) throws -> StoredRecord? {
        guard let zone = try zone(id) else { return nil }
        return try connection.first(
            """
            SELECT t.name, r.sequence, r.body FROM records r JOIN types t ON t.id = r.type
            WHERE r.zone = ? AND r.name = ?
            """, .integer(zone), .text(id.name.rawValue)
        ) {
            StoredRecord(
                id: id, type: RecordType(trusted: $0.text(0)), sequence: Sequence($0.integer(1)), body: $0.blob(2))
        }
    }

    func save(_ record: StoredRecord) throws {
        let zone = try zone(record.id) ?? addZone(record.id)
        let hasFeed = record.id.zone.name != .defaultZone
        let statement = try connection.statement(
            """
            INSERT INTO records (zone, name, type, sequence, has_feed, body, parent)
            VALUES (?, ?, (SELECT id FROM types WHERE name = ?), ?, ?, ?, ?)
            ON CONFLICT (zone, name) DO UPDATE SET type = excluded.type, sequence = excluded.sequence, body = excluded.body,
                parent = excluded.parent
            """)
        try statement.bind(zone, at: 1)
        try statement.bind(record.id.name.rawValue, at: 2)
        try statement.bind(record.type.rawValue, at: 3)
        try statement.bind(record.sequence.rawValue, at: 4)
        try statement.bind(Int64(hasFeed ? 1 : 0), at: 5)
        try statement.bind(record.body, at: 6)
        if let parent = record.parent { try statement.bind(parent.rawValue, at: 7) } else { try statement.bindNull(at: 7) }
        try statement.execute()
        if hasFeed {
            try connection.run(
                "DELETE FROM tombstones WHERE zone = ? AND name = ?", .integer(zone), .text(record.id.name.rawValue))
        }
    }

    func deleteRecord(_ id: RecordID, at sequence: Sequence, _ time: Timestamp, roots: [RecordName]) throws {
        guard let zone = try zone(id) else { return }
        if id.zone.name != .defaultZone {
            try connection.run(
                """
                INSERT INTO tombstones (zone, sequence, name, type, time, roots)
                SELECT zone, ?, name, type, ?, ? FROM records WHERE zone = ? AND name = ?
                """, .integer(sequence.rawValue), .integer(time.milliseconds), .text(roots.map(\.rawValue).joined(separator: "\n")),
                .integer(zone), .text(id.name.rawValue))
        }
        try connection.run("DELETE FROM records WHERE zone = ? AND name = ?", .integer(zone), .text(id.name.rawValue))
    }

    func fieldTypes(of type: RecordType) throws -> [FieldName: FieldType]? {
        let known = try connection.first("SELECT id FROM types WHERE name = ?", .text(type.rawValue)) { $0.integer(0) }
        guard let known else { return nil }
        let rows = try connection.query("SELECT name, kind FROM fields WHERE type = ?", .integer(known)) {
            (FieldName(trusted: $0.text(0)), FieldType(rawValue: Int32($0.integer(1))))
        }
        var types: [FieldName: FieldType] = [:]
        for (name, kind) in rows { types[name] = kind }
        return types
    }

    func define(_ type: RecordType) throws {
        try connection.run("INSERT INTO types (name) VALUES (?) ON CONFLICT DO NOTHING", .text(type.rawValue))
    }

    func define(_ field: FieldName, as fieldType: FieldType, in type: RecordType) throws {
        try connection.run(
            "INSERT INTO fields (type, name, kind) VALUES ((SELECT id FROM types WHERE name = ?), ?, ?)",
            .text(type.rawValue), .text(field.rawValue), .integer(Int64(fieldType.rawValue)))
    }

    /// The row of a record's zone; nil when there is none: a default zone has one once something was saved there.
    func zone(_ id: RecordID) throws -> Int64? { try zoneRow(id.zone, in: id.database) }

    private func addZone(_ id: RecordID) throws -> Int64 {
        try connection.run(
            "INSERT INTO zones (database, owner, name) VALUES (?, ?, ?)", .integer(Int64(id.database.rawValue)),
            .text(id.zone.owner.rawValue), .text(id.zone.name.rawValue))
        return connection.lastInsertedRow
    }
}
