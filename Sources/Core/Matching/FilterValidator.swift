package import CloudModel

/// Says whether a filter can be evaluated, and why not. What the schema knows of fields is the caller's affair.
package enum FilterValidator {
    /// Checks all filters of a query and their number.
    /// - Throws: `BAD_REQUEST` that names the filter's field, what is wrong with it and what is allowed.
    package static func validate(_ query: Query) throws(CloudError) {
        guard query.filters.count <= Limits.filtersMax else {
            throw .badRequest("a query has at most \(Limits.filtersMax) filters; this one has \(query.filters.count)")
        }
        for filter in query.filters { try validate(filter) }
    }

    /// What can be evaluated.
    private static let known: Set<Comparator> = [
        .equals, .notEquals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .in, .beginsWith,
        .listContains,
    ]

    private static func validate(_ filter: Filter) throws(CloudError) {
        guard known.contains(filter.comparator) else {
            throw .badRequest("\(filter.comparator) on '\(filter.field)' is not supported by this version")
        }
        guard filter.operand.type.isComparable else {
            throw .badRequest("'\(filter.field)' cannot be compared with \(filter.operand.type)")
        }
        switch (filter.comparator, filter.operand) {
        case (.in, .value):
            throw .badRequest(
                "IN on '\(filter.field)' takes a list: give fieldValue an explicit list type, as STRING_LIST")
        case (.in, .values(let values, _)):
            guard values.count <= Limits.listFilterValuesMax else {
                throw .badRequest(
                    "IN on '\(filter.field)' takes at most \(Limits.listFilterValuesMax) values; it has \(values.count)"
                )
            }
        case (_, .values):
            throw .badRequest("\(filter.comparator) on '\(filter.field)' takes a single value; only IN takes a list")
        case (let comparator, .value(let value)):
            try validate(comparator, value, filter.field)
        }
    }

    private static func validate(_ comparator: Comparator, _ value: FieldValue, _ field: FilterField) throws(CloudError)
    {
        guard value.type.elementType == nil else {
            throw .badRequest("\(comparator) on '\(field)' takes a single value, not a \(value.type)")
        }
        switch comparator {
        case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals:
            guard value.type.isOrdered else {
                throw .badRequest("\(comparator) on '\(field)' needs a value that has an order; \(value.type) has none")
            }
        case .beginsWith:
            guard value.type == .string else {
                throw .badRequest("BEGINS_WITH on '\(field)' takes a STRING, not \(value.type)")
            }
        default: break
        }
    }

    /// Checks a filter against the type that the schema gives its field.
    /// - Throws: `BAD_REQUEST` that names both types.
    package static func validate(_ filter: Filter, fieldType: FieldType) throws(CloudError) {
        let compared = filter.comparator == .listContains ? fieldType.elementType : fieldType
        guard let compared else {
            throw .badRequest("LIST_CONTAINS needs a list, but the field '\(filter.field)' is \(fieldType)")
        }
        guard compared == filter.operand.type else {
            throw .badRequest(
                "the field '\(filter.field)' is \(fieldType): \(filter.comparator) takes \(compared), not \(filter.operand.type)"
            )
        }
    }
}
