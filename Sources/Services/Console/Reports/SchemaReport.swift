package import CloudModel
import Cryptography
package import JSON
package import RecordService
import RecordStore
import TextForms

/// A schema and differences of two as operators see them.
package enum SchemaReport {
    /// The schema, as data and in CloudKit's language.
    package static func json(_ schema: Schema) -> JSONObject {
        let types = schema.types.sorted { $0.key < $1.key }.map { type, known -> JSONValue in
            let fields = known.fields.sorted { $0.key < $1.key }.map { name, field -> JSONValue in
                [
                    "name": .string(name.rawValue), "type": .string(SchemaText.schemaType(field.type)),
                    "indexes": indexes(field.indexes),
                ]
            }
            let system = known.systemIndexes.sorted { $0.key.rawValue < $1.key.rawValue }.map { field, found in
                ["name": .string("\(field)"), "indexes": indexes(found)] as JSONValue
            }
            return [
                "recordType": .string(type.rawValue), "fields": .array(fields), "systemFields": .array(system),
                "grants": .array(SchemaText.grants(known.permissions).map { .string($0) }),
            ]
        }
        return [
            "text": .string(SchemaText.write(schema)), "recordTypes": .array(types),
            "conditions": .array(schema.conditions.sorted().map { .string("\($0)") }),
        ]
    }

    /// The additions of a difference, the reasons why it cannot be applied, and its digest: another difference has
    /// another one.
    package static func json(_ difference: SchemaDifference) -> JSONObject {
        [
            "changes": .array(difference.changes.map { .string("\($0)") }),
            "conflicts": .array(difference.conflicts.map { .string($0) }), "digest": .string(digest(difference)),
        ]
    }

    /// The types that a reset removed and kept, and what it took of production.
    package static func json(_ reset: RecordService.SchemaReset) -> JSONObject {
        func names(_ types: [RecordType]) -> JSONValue { .array(types.map { .string($0.rawValue) }) }
        return [
            "removed": names(reset.types.removed), "emptied": names(reset.types.emptied),
            "kept": names(reset.types.kept),
            "changes": .array(reset.difference.changes.map { .string("\($0)") }),
        ]
    }

    /// The digest of a difference, in hexadecimal digits.
    package static func digest(_ difference: SchemaDifference) -> String {
        // Permissions are written as what they add up to, so that what they were counts, too.
        let lines = difference.changes.map { "\($0) \(before($0))" } + difference.conflicts
        return Hexadecimal.encode(SHA256.hash(Array(lines.joined(separator: "\n").utf8)))
    }

    private static func before(_ change: SchemaDifference.Change) -> Int64 {
        switch change {
        case .setIndexes(_, _, _, let before), .setSystemIndexes(_, _, _, let before): Int64(before.rawValue)
        case .setPermissions(_, _, let before): before.rawValue
        case .addType, .addField, .addCondition: 0
        }
    }

    private static func indexes(_ indexes: FieldIndexes) -> JSONValue {
        .array(SchemaText.names(indexes).split(separator: " ").map { .string(String($0)) })
    }
}
