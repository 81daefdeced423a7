/// Writes a schema in CloudKit's schema language, as `cktool export-schema` does; conditions of subscriptions, which
/// the language lacks, follow as comments.
package enum SchemaText {
    /// The comment that says of a type that nobody has a right on its records.
    static let noRightsMark = "NO RIGHTS ON "

    /// The whole text, types and fields in the order of their names.
    package static func write(_ schema: Schema) -> String {
        var lines = ["DEFINE SCHEMA", ""]
        for (type, known) in schema.types.sorted(by: { $0.key < $1.key }) {
            lines.append("    RECORD TYPE \(type) (")
            var members = known.systemIndexes.sorted { $0.key.rawValue < $1.key.rawValue }.map { field, indexes in
                "\"\(storedName(field))\" \(schemaType(field))\(names(indexes))"
            }
            members += known.fields.sorted { $0.key < $1.key }.map { name, field in
                "\(written(name)) \(schemaType(field.type))\(names(field.indexes))"
            }
            members += grants(known.permissions)
            lines.append(members.map { "        \($0)" }.joined(separator: ",\n"))
            lines.append("    );")
            lines.append("")
        }
        // The language has no words for it, and a type without a GRANT has the rights that it had, or the usual ones.
        for (type, known) in schema.types.sorted(by: { $0.key < $1.key }) where known.permissions.rawValue == 0 {
            lines.append("    -- \(noRightsMark)\(type)")
        }
        for condition in schema.conditions.sorted() { lines.append("    -- SUBSCRIPTION \(condition)") }
        return lines.joined(separator: "\n")
    }

    /// The indexes of a field, each after a space.
    package static func names(_ indexes: FieldIndexes) -> String {
        var text = ""
        if indexes.contains(.queryable) { text += " QUERYABLE" }
        if indexes.contains(.searchable) { text += " SEARCHABLE" }
        if indexes.contains(.sortable) { text += " SORTABLE" }
        return text
    }

    /// The rights of each role, as in `GRANT READ, CREATE TO "_world"`.
    package static func grants(_ permissions: TypePermissions) -> [String] {
        TypePermissions.Role.allCases.reversed().compactMap { role in
            let rights = TypePermissions.Right.allCases.filter { permissions[role, $0] }
            guard !rights.isEmpty else { return nil }
            return "GRANT \(rights.map(\.description).joined(separator: ", ")) TO \"\(role)\""
        }
    }

    /// The type as the schema language spells it.
    package static func schemaType(_ type: FieldType) -> String {
        if let element = type.elementType { return "LIST<\(schemaType(element))>" }
        if let plain = type.plainType { return "ENCRYPTED \(plain)" }
        return type == .asset ? "ASSET" : type.description
    }

    /// In quotes where the name reads as a word of the language.
    private static func written(_ name: FieldName) -> String {
        name.rawValue.uppercased() == "GRANT" ? "\"\(name)\"" : name.rawValue
    }

    private static func schemaType(_ field: SystemField) -> String {
        switch field {
        case .recordName, .createdUserRecordName, .modifiedUserRecordName: "REFERENCE"
        case .createdTimestamp, .modifiedTimestamp: "TIMESTAMP"
        }
    }

    private static func storedName(_ field: SystemField) -> String {
        switch field {
        case .recordName: "___recordID"
        case .createdTimestamp: "___createTime"
        case .createdUserRecordName: "___createdBy"
        case .modifiedTimestamp: "___modTime"
        case .modifiedUserRecordName: "___modifiedBy"
        }
    }
}
