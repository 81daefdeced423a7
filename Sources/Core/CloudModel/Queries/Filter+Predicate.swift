extension Filter {
    /// The filter as a tree: negated comparators become the negation of their positive form, so that they hold on an
    /// absent field. Comparisons for equality overlook case (docs/choices.md, 23). What a validator would have
    /// refused matches nothing.
    package var predicate: Predicate {
        guard let relation = relation(of: comparator.negated ?? comparator) else { return .never }
        let comparison = Predicate.comparison(Predicate.Comparison(field: field, relation: relation))
        return comparator.negated == nil ? comparison : .not(comparison)
    }

    private func relation(of comparator: Comparator) -> Predicate.Relation? {
        let isOfSystem = if case .system = field { true } else { false }
        return switch operand {
        case .value(let value): relation(of: comparator, isOfSystem ? value.named : value)
        case .values(let values, _): relation(of: comparator, isOfSystem ? values.map(\.named) : values)
        }
    }

    private func relation(of comparator: Comparator, _ value: FieldValue) -> Predicate.Relation? {
        switch (comparator, value) {
        case (.equals, _): .equals(value, .caseInsensitive)
        case (.lessThan, _): .lessThan(value)
        case (.lessThanOrEquals, _): .lessThanOrEquals(value)
        case (.greaterThan, _): .greaterThan(value)
        case (.greaterThanOrEquals, _): .greaterThanOrEquals(value)
        case (.beginsWith, .string(let prefix)): .beginsWith(prefix, [])
        case (.listContains, _): .listContains(value, .caseInsensitive)
        case (.listMemberBeginsWith, .string(let prefix)): .listMemberBeginsWith(prefix, [])
        case (.near, .location(let place)): distance.map { .near(place, metres: $0, isInclusive: true) }
        case (.containsAllTokens, .string(let words)): .containsAllTokens([words])
        case (.containsAnyTokens, .string(let words)): .containsAnyTokens([words])
        default: nil
        }
    }

    private func relation(of comparator: Comparator, _ values: [FieldValue]) -> Predicate.Relation? {
        switch comparator {
        case .in: .isIn(values, .caseInsensitive)
        case .listContainsAny: .listContainsAny(values, .caseInsensitive)
        case .listContainsAll: .listContainsAll(values, .caseInsensitive)
        default: nil
        }
    }
}
