/// The additions that promoting one schema over another would make. Nothing is ever removed: types and fields stay, and
/// their types are fixed (docs/cloudkit.md#environments-and-schema).
package struct SchemaDifference: Hashable, Sendable {
    /// One addition or change.
    package enum Change: Hashable, Sendable {
        case addType(RecordType)
        case addField(RecordType, FieldName, TypeSchema.Field)
        case setIndexes(RecordType, FieldName, FieldIndexes, before: FieldIndexes)
        case setSystemIndexes(RecordType, SystemField, FieldIndexes, before: FieldIndexes)
        case setPermissions(RecordType, TypePermissions, before: TypePermissions)
        case addCondition(ConditionShape)
    }

    /// In an order in which they can be applied.
    package private(set) var changes: [Change] = []
    /// The reasons why it cannot be applied, a line each; empty when it can.
    package private(set) var conflicts: [String] = []

    /// Finds what `target` lacks to know everything that `source` knows. Indexes that only the target has stay.
    package init(promoting source: Schema, over target: Schema) {
        for (type, wanted) in source.types.sorted(by: { $0.key < $1.key }) {
            if target.types[type] == nil { changes.append(.addType(type)) }
            let present = target.types[type] ?? TypeSchema()
            compare(type, wanted.fields, present.fields)
            for (field, indexes) in wanted.systemIndexes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let before = present.systemIndexes[field] ?? []
                guard !indexes.isSubset(of: before) else { continue }
                changes.append(.setSystemIndexes(type, field, before.union(indexes), before: before))
            }
            if wanted.permissions != present.permissions {
                changes.append(.setPermissions(type, wanted.permissions, before: present.permissions))
            }
        }
        changes += source.conditions.subtracting(target.conditions).sorted().map { .addCondition($0) }
    }

    private mutating func compare(
        _ type: RecordType, _ wanted: [FieldName: TypeSchema.Field], _ present: [FieldName: TypeSchema.Field]
    ) {
        for (name, field) in wanted.sorted(by: { $0.key < $1.key }) {
            guard let known = present[name] else {
                changes.append(.addField(type, name, field))
                continue
            }
            if known.type != field.type {
                conflicts.append("\(type).\(name) is \(known.type) there and \(field.type) here; types cannot change")
            } else if !field.indexes.isSubset(of: known.indexes) {
                changes.append(.setIndexes(type, name, known.indexes.union(field.indexes), before: known.indexes))
            }
        }
    }
}

extension SchemaDifference.Change: CustomStringConvertible {
    /// A line for people.
    package var description: String {
        switch self {
        case .addType(let type): "+ record type \(type)"
        case .addField(let type, let name, let field):
            "+ \(type).\(name) \(SchemaText.schemaType(field.type))\(SchemaText.names(field.indexes))"
        case .setIndexes(let type, let name, let indexes, let before):
            "+ \(type).\(name)\(SchemaText.names(indexes.subtracting(before)))"
        case .setSystemIndexes(let type, let field, let indexes, let before):
            "+ \(type).\(field)\(SchemaText.names(indexes.subtracting(before)))"
        case .setPermissions(let type, let permissions, _):
            "~ \(type): \(SchemaText.grants(permissions).joined(separator: ", "))"
        case .addCondition(let shape): "+ subscription on \(shape)"
        }
    }
}
