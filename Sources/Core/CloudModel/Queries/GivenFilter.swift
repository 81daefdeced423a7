/// A filter as a request gives it, before the schema decides about the types of values.
package struct GivenFilter: Hashable, Sendable {
    /// The value or the list that the field is compared with, as the request gave it.
    package enum Operand: Hashable, Sendable {
        /// A value, or a list of which the request does not say what its elements are.
        case value(GivenValue)
        /// The values of an explicitly typed list.
        case values([FieldValue], of: FieldType)
    }

    /// The field of the record that is compared.
    package var field: FilterField
    /// The comparison.
    package var comparator: Comparator
    /// The value or the list that the field is compared with.
    package var operand: Operand
    /// The radius of NEAR in metres.
    package var distance: Double?

    package init(field: FilterField, comparator: Comparator, operand: Operand, distance: Double? = nil) {
        self.field = field
        self.comparator = comparator
        self.operand = operand
        self.distance = distance
    }

    /// The filter with its value as given, for fields that no schema knows yet.
    package var filter: Filter {
        switch operand {
        case .value(let given): filter(operand(given.value))
        case .values(let values, let type): filter(.values(values, of: type))
        }
    }

    /// A list is many values where the comparator takes many.
    private func operand(_ value: FieldValue) -> Filter.Operand {
        guard comparator.takesList, case .list(let values, let type) = value else { return .value(value) }
        return .values(values, of: type)
    }

    /// The filter with an inferred value turned into the field's type where that is possible.
    package func filter(fieldType: FieldType) -> Filter {
        guard case .value(let given) = operand else { return filter }
        let compared = comparator.isOfLists ? fieldType.elementType ?? fieldType : fieldType
        let wanted = comparator.takesList ? compared.listType ?? compared : compared
        return filter(operand(given.converted(to: wanted) ?? given.value))
    }

    private func filter(_ operand: Filter.Operand) -> Filter {
        Filter(field: field, comparator: comparator, operand: operand, distance: distance)
    }
}
