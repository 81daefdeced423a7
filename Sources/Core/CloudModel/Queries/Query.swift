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
    /// absent field. Comparisons for equality overlook case (design section 12, choice 23). What a validator would have
    /// refused matches nothing.
    package var predicate: Predicate {
        guard let relation = relation(of: comparator.negated ?? comparator) else { return .never }
        let comparison = Predicate.comparison(Predicate.Comparison(field: field, relation: relation))
        return comparator.negated == nil ? comparison : .not(comparison)
    }

    private func relation(of comparator: Comparator) -> Predicate.Relation? {
        switch (comparator, operand) {
        case (.equals, .value(let value)): .equals(value, .caseInsensitive)
        case (.lessThan, .value(let value)): .lessThan(value)
        case (.lessThanOrEquals, .value(let value)): .lessThanOrEquals(value)
        case (.greaterThan, .value(let value)): .greaterThan(value)
        case (.greaterThanOrEquals, .value(let value)): .greaterThanOrEquals(value)
        case (.in, .values(let values, _)): .isIn(values, .caseInsensitive)
        case (.beginsWith, .value(.string(let prefix))): .beginsWith(prefix, [])
        case (.listContains, .value(let value)): .listContains(value, .caseInsensitive)
        case (.listContainsAny, .values(let values, _)): .listContainsAny(values, .caseInsensitive)
        case (.listContainsAll, .values(let values, _)): .listContainsAll(values, .caseInsensitive)
        case (.listMemberBeginsWith, .value(.string(let prefix))): .listMemberBeginsWith(prefix, [])
        default: nil
        }
    }
}
