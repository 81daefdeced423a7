/// The indexes of a field, which both permit queries and speed them up (docs/cloudkit.md#indexes).
package struct FieldIndexes: OptionSet, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// Filters may look at the field.
    package static let queryable = FieldIndexes(rawValue: 1)
    /// Results may be ordered by the field, and filters may ask for ranges of it.
    package static let sortable = FieldIndexes(rawValue: 2)
    /// Words are looked for in the field.
    package static let searchable = FieldIndexes(rawValue: 4)

    /// The indexes that every system field gets in development.
    package static let ofSystemFields: FieldIndexes = [.queryable, .sortable]

    /// All indexes that a field of a type can have, which development gives it.
    package static func all(for type: FieldType) -> FieldIndexes {
        var indexes: FieldIndexes = []
        if type.traits.isComparable { indexes.insert(.queryable) }
        if type.traits.isSortable { indexes.insert(.sortable) }
        if type == .string || type == .stringList { indexes.insert(.searchable) }
        return indexes
    }
}
