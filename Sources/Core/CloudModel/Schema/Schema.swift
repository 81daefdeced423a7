/// The schema of an environment: its record types, and the conditions that subscriptions may have
/// (docs/cloudkit.md#environments-and-schema).
package struct Schema: Hashable, Sendable {
    /// The record types by name.
    package var types: [RecordType: TypeSchema]
    /// The shapes of conditions that subscriptions have had.
    package var conditions: Set<ConditionShape>

    package init(types: [RecordType: TypeSchema] = [:], conditions: Set<ConditionShape> = []) {
        self.types = types
        self.conditions = conditions
    }
}

/// One record type.
package struct TypeSchema: Hashable, Sendable {
    /// One field.
    package struct Field: Hashable, Sendable {
        /// The type of its values, which never changes.
        package var type: FieldType
        /// The ways in which records can be found and ordered by the field.
        package var indexes: FieldIndexes

        package init(type: FieldType, indexes: FieldIndexes) {
            self.type = type
            self.indexes = indexes
        }
    }

    /// The fields by name.
    package var fields: [FieldName: Field]
    /// The indexes of system fields; one that is absent has none.
    package var systemIndexes: [SystemField: FieldIndexes]
    /// The rights of the public database's roles.
    package var permissions: TypePermissions

    package init(
        fields: [FieldName: Field] = [:], systemIndexes: [SystemField: FieldIndexes] = [:],
        permissions: TypePermissions = .standard
    ) {
        self.fields = fields
        self.systemIndexes = systemIndexes
        self.permissions = permissions
    }
}

/// The shape of a subscription's condition: what it compares how, without the values. Production takes only shapes that
/// were first saved in development and promoted.
package struct ConditionShape: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The type that the condition is about.
    package var recordType: RecordType
    /// As in `artist EQUALS AND year GREATER_THAN ON create, update`.
    package var text: String

    package init(recordType: RecordType, text: String) {
        self.recordType = recordType
        self.text = text
    }

    package static func < (left: ConditionShape, right: ConditionShape) -> Bool {
        (left.recordType, left.text) < (right.recordType, right.text)
    }

    package var description: String { "\(recordType): \(text)" }
}
