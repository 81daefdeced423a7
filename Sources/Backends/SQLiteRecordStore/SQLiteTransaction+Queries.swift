import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    func indexes(of type: RecordType) throws -> TypeIndexes? {
        guard let number = try numbers.type(type) else { return nil }
        let rows = try connection.query("SELECT name, id, kind, indexes FROM fields WHERE type = ?", .integer(number)) {
            (
                FieldName(trusted: $0.text(0)), $0.integer(1), FieldType(rawValue: Int32($0.integer(2))),
                FieldIndexes(rawValue: Int32($0.integer(3)))
            )
        }
        var indexes = TypeIndexes(number: number, fields: [:], system: [:])
        for (name, number, type, found) in rows {
            guard let type else { continue }
            indexes.fields[name] = TypeIndexes.Field(number: number, type: type, indexes: found)
        }
        let system = try connection.query(
            "SELECT field, indexes FROM system_fields WHERE type = ?", .integer(number)
        ) { (SystemField(rawValue: Int32($0.integer(0))), FieldIndexes(rawValue: Int32($0.integer(1)))) }
        for (field, found) in system { if let field { indexes.system[field] = found } }
        return indexes
    }

    func setIndexes(_ indexes: FieldIndexes, of field: FilterField, in type: RecordType) throws {
        let value = SQLiteValue.integer(Int64(indexes.rawValue))
        switch field {
        case .field(let name):
            try connection.run(
                "UPDATE fields SET indexes = ? WHERE type = (SELECT id FROM types WHERE name = ?) AND name = ?", value,
                .text(type.rawValue), .text(name.rawValue))
        case .system(let field):
            try connection.run(
                """
                INSERT INTO system_fields (type, field, indexes) VALUES ((SELECT id FROM types WHERE name = ?), ?, ?)
                ON CONFLICT DO UPDATE SET indexes = excluded.indexes
                """, .text(type.rawValue), .integer(Int64(field.rawValue)), value)
        case .searchableTexts: break
        }
    }

    func zonesWithRecords(of owner: UserRecordName, in database: DatabaseScope) throws -> [ZoneID] {
        try connection.query(
            "SELECT name FROM zones WHERE database = ? AND owner = ? ORDER BY id", .integer(Int64(database.rawValue)),
            .text(owner.rawValue)
        ) { ZoneID(name: ZoneName(trusted: $0.text(0)), owner: owner) }
    }

    func zones(in database: DatabaseScope) throws -> [ZoneID] {
        try connection.query(
            "SELECT owner, name FROM zones WHERE database = ? ORDER BY id", .integer(Int64(database.rawValue))
        ) { ZoneID(name: ZoneName(trusted: $0.text(1)), owner: UserRecordName(trusted: $0.text(0))) }
    }

    func count(_ condition: IndexCondition, in scan: IndexScan, limit: Int) throws -> Int {
        try settleEntries()
        let zones = try zones(of: scan)
        guard let type = try numbers.type(scan.type), !zones.isEmpty else { return 0 }
        var statement = ScanStatement(type: type, zones: zones.map(\.number))
        statement.count(condition, limit: limit)
        var count: Int64 = 0
        try connection.visit(statement.sql, statement.values) {
            count = $0.integer(0)
            return false
        }
        return Int(count)
    }

    func scan(_ scan: IndexScan, visit: (ScannedRecord) throws -> Bool) throws {
        try settleEntries()
        let zones = try zones(of: scan)
        guard let type = try numbers.type(scan.type), !zones.isEmpty else { return }
        var statement = ScanStatement(type: type, zones: zones.map(\.number))
        statement.select(scan)
        let ids = Dictionary(uniqueKeysWithValues: zones.map { ($0.number, $0.id) })
        try connection.visit(statement.sql, statement.values) { row in
            guard let zone = ids[row.integer(2)] else { return true }
            let id = RecordID(database: scan.database, zone: zone, name: RecordName(trusted: row.text(3)))
            return try visit(
                ScannedRecord(
                    number: row.integer(0), key: Self.key(row.value(1)),
                    record: StoredRecord(
                        id: id, type: scan.type, sequence: CommitSequence(row.integer(4)), body: row.blob(5))))
        }
    }

    private func zones(of scan: IndexScan) throws -> [(number: Int64, id: ZoneID)] {
        try scan.zones.compactMap { zone in
            try numbers.zone(zone, in: scan.database).map { (number: $0, id: zone) }
        }
    }

    private static func key(_ value: SQLiteValue) -> IndexKey? {
        switch value {
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .text(let text): .text(text)
        case .null, .blob: nil
        }
    }
}
