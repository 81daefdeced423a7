package import CloudModel

/// Checks that filters can be evaluated. Looking up fields in the schema is the caller's responsibility.
package enum FilterValidator {
    /// Checks all filters of a query and their number.
    /// - Throws: `BAD_REQUEST` with the filter's field, the reason and the allowed forms.
    package static func validate(_ query: Query) throws(CloudError) {
        guard query.filters.count <= Limits.filtersMax else {
            throw .badRequest("a query has at most \(Limits.filtersMax) filters; this one has \(query.filters.count)")
        }
        for filter in query.filters { try validate(filter) }
    }

    private static func validate(_ filter: Filter) throws(CloudError) {
        guard filter.operand.type.traits.isComparable else {
            throw .badRequest("'\(filter.field)' cannot be compared with \(filter.operand.type)")
        }
        try checkLength(filter.operand.texts, "'\(filter.field)'")
        switch filter.operand {
        case .values(let values, let type):
            guard filter.comparator.takesList else {
                throw .badRequest(
                    "\(filter.comparator) on '\(filter.field)' takes a single value; lists go with IN, LIST_CONTAINS_ANY, LIST_CONTAINS_ALL and their negations"
                )
            }
            try validate(values, type, filter)
        case .value(let value):
            guard !filter.comparator.takesList else {
                throw .badRequest(
                    "\(filter.comparator) on '\(filter.field)' takes a list: give fieldValue an explicit list type, as STRING_LIST"
                )
            }
            try validate(value, filter)
        }
    }

    /// Checks the length of the texts that a field is compared with: each is folded, and searched for in records.
    /// - Throws: `BAD_REQUEST` with the text that is too long.
    static func checkLength(_ texts: [String], _ subject: @autoclosure () -> String) throws(CloudError) {
        for text in texts where text.utf8.count > Limits.operandBytesMax {
            throw .badRequest(
                "\(subject()) is compared with a text of \(text.utf8.count) bytes; at most \(Limits.operandBytesMax) are allowed"
            )
        }
    }

    private static func validate(_ values: [FieldValue], _ type: FieldType, _ filter: Filter) throws(CloudError) {
        guard values.count <= Limits.listFilterValuesMax else {
            throw .badRequest(
                "\(filter.comparator) on '\(filter.field)' takes at most \(Limits.listFilterValuesMax) values; it has \(values.count)"
            )
        }
        guard type.elementType == nil else {
            throw .badRequest("\(filter.comparator) on '\(filter.field)' takes values, not lists of \(type)")
        }
    }

    private static func validate(_ value: FieldValue, _ filter: Filter) throws(CloudError) {
        let comparator = filter.comparator
        guard value.type.elementType == nil else {
            throw .badRequest("\(comparator) on '\(filter.field)' takes a single value, not a \(value.type)")
        }
        switch comparator.negated ?? comparator {
        case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals:
            guard value.type.traits.isOrdered else {
                throw .badRequest(
                    "\(comparator) on '\(filter.field)' needs a value that has an order; \(value.type) has none")
            }
        case .beginsWith, .listMemberBeginsWith, .containsAllTokens, .containsAnyTokens:
            guard value.type == .string else {
                throw .badRequest("\(comparator) on '\(filter.field)' takes a STRING, not \(value.type)")
            }
        case .near:
            guard value.type == .location else {
                throw .badRequest("NEAR on '\(filter.field)' takes a LOCATION, not \(value.type)")
            }
            guard let distance = filter.distance, distance >= 0 else {
                throw .badRequest("NEAR on '\(filter.field)' needs a distance in metres, 0 or more")
            }
        default: break
        }
    }

    /// Checks a filter against the type that the schema gives its field.
    /// - Throws: `BAD_REQUEST` that names both types.
    package static func validate(_ filter: Filter, fieldType: FieldType) throws(CloudError) {
        if filter.comparator.isOfWords {
            guard fieldType == .string || fieldType == .stringList else {
                throw .badRequest(
                    "the field '\(filter.field)' is \(fieldType): \(filter.comparator) looks into STRING and STRING_LIST"
                )
            }
            return
        }
        guard fieldType.traits.isComparable else {
            throw .badRequest(
                "Field '\(filter.field)' is not marked queryable: it is \(fieldType), which cannot be compared; filter by another field"
            )
        }
        if filter.comparator == .near, fieldType != .location {
            throw .badRequest("the field '\(filter.field)' is \(fieldType): NEAR looks at a LOCATION")
        }
        let compared = filter.comparator.isOfLists ? fieldType.elementType : fieldType
        guard let compared else {
            throw .badRequest("\(filter.comparator) needs a list, but the field '\(filter.field)' is \(fieldType)")
        }
        // References name records and users.
        if case .system = filter.field, compared == .string, filter.operand.type == .reference { return }
        guard compared == filter.operand.type else {
            throw .badRequest(
                "the field '\(filter.field)' is \(fieldType): \(filter.comparator) takes \(compared), not \(filter.operand.type)"
            )
        }
    }
}

extension Filter.Operand {
    /// The texts among the operands.
    fileprivate var texts: [String] {
        switch self {
        case .value(let value): value.texts
        case .values(let values, _): values.flatMap(\.texts)
        }
    }
}
