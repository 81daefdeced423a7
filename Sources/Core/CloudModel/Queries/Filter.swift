/// One entry of `filterBy`: a field, a comparator and a value. Entries of one query are ANDed.
package struct Filter: Hashable, Sendable {
    /// The value or the list that the field is compared with.
    package enum Operand: Hashable, Sendable {
        /// A single value.
        case value(FieldValue)
        /// The values of a comparator that takes a list, all of one type.
        case values([FieldValue], of: FieldType)

        /// The type of the value, or of each of the values.
        package var type: FieldType {
            switch self {
            case .value(let value): value.type
            case .values(_, let type): type
            }
        }
    }

    /// The field of the record that is compared.
    package var field: FilterField
    /// The comparison.
    package var comparator: Comparator
    /// The value or the list that the field is compared with.
    package var operand: Operand
    /// The radius of NEAR in metres; nil for every other comparator.
    package var distance: Double?

    package init(field: FilterField, comparator: Comparator, operand: Operand, distance: Double? = nil) {
        self.field = field
        self.comparator = comparator
        self.operand = operand
        self.distance = distance
    }
}
