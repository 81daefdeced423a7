package import CloudModel

/// The indexes of a record type as the schema has them.
package struct TypeIndexes: Hashable, Sendable {
    /// One field.
    package struct Field: Hashable, Sendable {
        /// The store's number of the field.
        package var number: Int64
        /// The type of the field's values.
        package var type: FieldType
        /// The indexes that the field has.
        package var indexes: FieldIndexes

        /// A field with its indexes.
        package init(number: Int64, type: FieldType, indexes: FieldIndexes) {
            self.number = number
            self.type = type
            self.indexes = indexes
        }
    }

    /// The store's number of the type.
    package var number: Int64
    /// The fields that the schema knows.
    package var fields: [FieldName: Field]
    /// System fields without an entry have no index.
    package var system: [SystemField: FieldIndexes]

    /// The indexes of one type.
    package init(number: Int64, fields: [FieldName: Field], system: [SystemField: FieldIndexes]) {
        self.number = number
        self.fields = fields
        self.system = system
    }

    /// The indexes of a field; nil when the type has no such field. `self` has those that one of the fields has.
    package func indexes(of field: FilterField) -> FieldIndexes? {
        switch field {
        case .field(let name): fields[name]?.indexes
        case .system(let field): system[field] ?? []
        case .searchableTexts: fields.values.contains { $0.indexes.contains(.searchable) } ? .searchable : []
        }
    }
}
