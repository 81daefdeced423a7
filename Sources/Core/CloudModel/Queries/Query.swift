/// What to look for: records of one type that pass all filters. No filters is CloudKit's `TRUEPREDICATE`.
package struct Query: Hashable, Sendable {
    /// The type of the records that are looked at.
    package var recordType: RecordType
    /// What has to hold for them, all of it; none means every record of the type.
    package var filters: [Filter]

    package init(recordType: RecordType, filters: [Filter]) {
        self.recordType = recordType
        self.filters = filters
    }

    /// The filters as one tree.
    package var predicate: Predicate {
        switch filters.count {
        case 0: .always
        case 1: filters[0].predicate
        default: .all(filters.map(\.predicate))
        }
    }
}

extension Filter {
    /// The filter as a tree: negated comparators become the negation of their positive form, so that they hold on an
    /// absent field. What a validator would have refused matches nothing.
    package var predicate: Predicate {
        switch (comparator, operand) {
        case (.notEquals, .value(let value)): .not(comparison(.equals(value)))
        case (.equals, .value(let value)): comparison(.equals(value))
        case (.lessThan, .value(let value)): comparison(.lessThan(value))
        case (.lessThanOrEquals, .value(let value)): comparison(.lessThanOrEquals(value))
        case (.greaterThan, .value(let value)): comparison(.greaterThan(value))
        case (.greaterThanOrEquals, .value(let value)): comparison(.greaterThanOrEquals(value))
        case (.in, .values(let values, _)): comparison(.isIn(values))
        case (.beginsWith, .value(.string(let prefix))): comparison(.beginsWith(prefix))
        case (.listContains, .value(let value)): comparison(.listContains(value))
        default: .not(.always)
        }
    }

    private func comparison(_ relation: Predicate.Comparison.Relation) -> Predicate {
        .comparison(Predicate.Comparison(field: field, relation: relation))
    }
}
