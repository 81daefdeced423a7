import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    func record(_ id: RecordID) throws -> StoredRecord? {
        guard let zone = try numbers.zone(id.zone, in: id.database) else { return nil }
        return try connection.first(
            """
            SELECT t.name, r.sequence, r.body FROM records r JOIN types t ON t.id = r.type
            WHERE r.zone = ? AND r.name = ?
            """, .integer(zone), .text(id.name.rawValue)
        ) {
            StoredRecord(
                id: id, type: RecordType(trusted: $0.text(0)), sequence: CommitSequence($0.integer(1)), body: $0.blob(2)
            )
        }
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
    func zone(_ id: RecordID) throws -> Int64? { try numbers.zone(id.zone, in: id.database) }
}
