import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction: SchemaTransaction {
    func schema() throws -> Schema {
        var schema = Schema()
        let names = try connection.query("SELECT name, permissions FROM types") {
            (RecordType(trusted: $0.text(0)), TypePermissions(rawValue: $0.integer(1)))
        }
        for (name, permissions) in names {
            var type = TypeSchema(permissions: permissions)
            if let indexes = try indexes(of: name) {
                type.fields = indexes.fields.mapValues { TypeSchema.Field(type: $0.type, indexes: $0.indexes) }
                type.systemIndexes = indexes.system
            }
            schema.types[name] = type
        }
        let conditions = try connection.query("SELECT type, text FROM conditions") {
            ConditionShape(recordType: RecordType(trusted: $0.text(0)), text: $0.text(1))
        }
        schema.conditions = Set(conditions)
        return schema
    }

    func permissions(of type: RecordType) throws -> TypePermissions {
        try connection.first("SELECT permissions FROM types WHERE name = ?", .text(type.rawValue)) {
            TypePermissions(rawValue: $0.integer(0))
        } ?? .standard
    }

    func setPermissions(_ permissions: TypePermissions, of type: RecordType) throws {
        try connection.run(
            "UPDATE types SET permissions = ? WHERE name = ?", .integer(permissions.rawValue), .text(type.rawValue))
    }

    func hasCondition(_ shape: ConditionShape) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM conditions WHERE type = ? AND text = ?", .text(shape.recordType.rawValue), .text(shape.text)
        ) { _ in true } ?? false
    }

    func count(of part: SchemaPart, limit: Int) throws -> Int {
        let table =
            switch part {
            case .types: "types"
            case .fields: "fields"
            case .conditions: "conditions"
            }
        return try connection.first(
            "SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT ?)", .integer(Int64(limit))
        ) { Int($0.integer(0)) } ?? 0
    }

    func removeUnusedTypes() throws -> TypeRemoval {
        let types = try connection.query("SELECT id, name FROM types ORDER BY name") { ($0.integer(0), $0.text(1)) }
        let buried = Set(try connection.query("SELECT DISTINCT type FROM tombstones") { $0.integer(0) })
        var removal = TypeRemoval()
        for (id, name) in types {
            let type = RecordType(trusted: name)
            let isUsed = try connection.first("SELECT 1 FROM records WHERE type = ? LIMIT 1", .integer(id)) { _ in true
            }
            guard isUsed == nil else {
                removal.kept.append(type)
                continue
            }
            for table in ["fields", "system_fields"] {
                try connection.run("DELETE FROM \(table) WHERE type = ?", .integer(id))
            }
            try connection.run("DELETE FROM conditions WHERE type = ?", .text(name))
            if buried.contains(id) {
                try setPermissions(.standard, of: type)
                removal.emptied.append(type)
            } else {
                try connection.run("DELETE FROM types WHERE id = ?", .integer(id))
                removal.removed.append(type)
            }
        }
        return removal
    }

    func addCondition(_ shape: ConditionShape) throws {
        try connection.run(
            "INSERT INTO conditions (type, text) VALUES (?, ?) ON CONFLICT DO NOTHING",
            .text(shape.recordType.rawValue), .text(shape.text))
    }
}
